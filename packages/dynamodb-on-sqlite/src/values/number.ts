import { invalid } from "../refusal.ts"

/** DynamoDB's numbers are decimal: up to 38 digits, from 1E-130 to 9.99E+125. Its JSON has them as text. */
interface Decimal {
  isNegative: boolean
  /** Without leading or trailing zeros; `""` for zero. */
  digits: string
  /** The place of the first digit: 0 for 1 to 9. */
  exponent: number
}

const plain = /^(0|-?[1-9]\d{0,14})$/

/** The one way in which equal numbers are written. @throws Refusal if DynamoDB would not store it. */
export function canonical(text: string): string {
  return plain.test(text) ? text : written(decimalOf(text))
}

/** Less than zero if `a` is less than `b`. Both are canonical. */
export function compareNumbers(a: string, b: string): number {
  if (plain.test(a) && plain.test(b)) return Number(a) - Number(b)
  const [x, y] = [sortable(a), sortable(b)]
  return x < y ? -1 : Number(x > y)
}

/**
 * The sum of two numbers, or with `sign` -1 their difference. @throws Refusal if the result has too many
 * digits.
 */
export function sum(a: string, b: string, sign: 1 | -1): string {
  if (plain.test(a) && plain.test(b)) {
    const result = Number(a) + sign * Number(b)
    if (Number.isSafeInteger(result)) return String(result)
  }
  const [x, y] = [decimalOf(a), decimalOf(b)]
  const lowest = Math.min(lastPlace(x), lastPlace(y))
  const result = scaled(x, lowest) + BigInt(sign) * scaled(y, lowest)
  return written(decimalOf(`${result}e${lowest}`))
}

/** A text that sorts among others as the numbers do. */
export function sortable(text: string): string {
  const { isNegative, digits, exponent } = decimalOf(text)
  if (digits === "") return "1"
  const place = String(exponent + 200).padStart(3, "0")
  if (!isNegative) return `2${place}${digits}`
  // Of two negative numbers that begin alike, the longer one is smaller: so the end must sort behind any
  // digit.
  return `0${complement(place)}${complement(digits)}~`
}

function decimalOf(text: string): Decimal {
  const parts = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/.exec(text)
  const [, sign, whole = "", part = "", power = "0"] = parts ?? []
  const all = whole + part
  if (!parts || all === "") throw invalid(`The parameter cannot be converted to a numeric value: ${text}`)
  const significant = all.replace(/^0+/, "")
  const digits = significant.replace(/0+$/, "")
  if (digits === "") return { isNegative: false, digits, exponent: 0 }
  const exponent = significant.length - part.length - 1 + Number(power)
  if (digits.length > 38) throw invalid("Attempting to store more than 38 significant digits in a Number")
  if (exponent > 125)
    throw invalid("Number overflow. Attempting to store a number with magnitude larger than supported range")
  if (exponent < -130)
    throw invalid(
      "Number underflow. Attempting to store a number with magnitude smaller than supported range",
    )
  return { isNegative: sign === "-", digits, exponent }
}

/** A number as a text without an exponent. */
function written({ isNegative, digits, exponent }: Decimal): string {
  if (digits === "") return "0"
  const minus = isNegative ? "-" : ""
  if (exponent < 0) return `${minus}0.${"0".repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0")
  const part = digits.slice(exponent + 1)
  return minus + whole + (part && `.${part}`)
}

function lastPlace({ digits, exponent }: Decimal): number {
  return exponent - digits.length + 1
}

/** The number as a whole number of units of that place. */
function scaled(of: Decimal, place: number): bigint {
  const size = BigInt(of.digits || 0) * 10n ** BigInt(of.digits ? lastPlace(of) - place : 0)
  return of.isNegative ? -size : size
}

/** Nine less each digit: what is larger comes first. */
function complement(digits: string): string {
  return digits.replaceAll(/\d/g, (digit) => String(9 - Number(digit)))
}
