import type { KeyTest } from "./expressions/parse.ts"
import { nameOf, type Placeholders } from "./expressions/placeholders.ts"
import type { Bound } from "./keeper.ts"
import { invalid } from "./refusal.ts"
import { type KeyAttribute, type Keyed, sortableText } from "./table.ts"
import { held } from "./values/value.ts"

/** The partition that a Query reads, and the bounds of its range keys. */
interface Asked {
  hash: string
  bounds: Bound[]
}

/** A key condition: one partition, and perhaps a range within it. @throws Refusal for any other condition */
export function keyCondition(of: Keyed, tests: KeyTest[], given: Placeholders): Asked {
  const named = tests.map((test) => ({ ...test, name: nameOf(test.name, given) }))
  const hash = named.find(({ name, by }) => name === of.hash.name && by === "=")
  if (!hash) throw invalid(`Query condition missed key schema element: ${of.hash.name}`)
  const others = named.filter((part) => part !== hash)
  if (others.length > 1) throw invalid("Conditions can be of length 1 or 2 only")
  const [range] = others
  const partition = textOf(of.hash, hash.values[0]!, given)
  if (!range) return { hash: partition, bounds: [] }
  if (range.name !== of.range.name)
    throw invalid(`Query condition missed key schema element: ${of.range.name}`)
  const values = range.values.map((value) => textOf(of.range, value, given))
  if (range.by === "begins_with" && of.range.type !== "S")
    throw wrong(`Incorrect operand type for operator or function; operator or function: begins_with`)
  if (
    range.by === "BETWEEN" &&
    Buffer.compare(...(values.map((one) => Buffer.from(one)) as [Buffer, Buffer])) > 0
  )
    throw wrong("The BETWEEN operator requires upper bound to be greater than or equal to lower bound")
  return { hash: partition, bounds: boundsOf(range.by, values) }
}

function wrong(why: string) {
  return invalid(`Invalid KeyConditionExpression: ${why}`)
}

function textOf(attribute: KeyAttribute, value: string, given: Placeholders): string {
  const text = held(given.values[value], attribute.type)
  if (text !== undefined) return sortableText(attribute, text)
  throw invalid(
    "One or more parameter values were invalid: Condition parameter type does not match schema type",
  )
}

function boundsOf(by: KeyTest["by"], [value = "", to = ""]: string[]): Bound[] {
  const from: Bound = { by: ">=", value }
  if (by === "BETWEEN") return [from, { by: "<=", value: to }]
  if (by !== "begins_with") return [{ by, value }]
  const end = pastPrefix(value)
  return end === undefined ? [from] : [from, { by: "<", value: end }]
}

/** The first text after all texts that begin with this; undefined if there is none. */
function pastPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (point) => point.codePointAt(0)!)
  for (let last = points.pop(); last !== undefined; last = points.pop())
    // Between these two code points there are no characters.
    if (last < 0x10_ff_ff) return String.fromCodePoint(...points, last === 0xd7_ff ? 0xe0_00 : last + 1)
  return undefined
}
