/** A row as the store returns it. The module that owns the row parses it. */
export type Row = Record<string, unknown>

/** An attribute's value in DynamoDB's JSON: one member, named after its type. Bytes are base64. */
type Value = Record<string, unknown>
export type Item = Record<string, Value>

/**
 * A row in DynamoDB's JSON. Undefined members are left out.
 * @throws TypeError for a value that DynamoDB cannot represent exactly.
 */
export function toItem(row: object): Item {
  const item: Item = {}
  for (const [name, value] of Object.entries(row)) if (value !== undefined) item[name] = toValue(value, name)
  return item
}

/** @throws TypeError for a number that JavaScript cannot represent exactly. */
export function toRow(item: Item): Row {
  const row: Row = {}
  for (const name of Object.keys(item)) row[name] = fromValue(item[name]!)
  return row
}

function toValue(value: unknown, name: string): Value {
  switch (typeof value) {
    case "string":
      return { S: value }
    case "number":
      return { N: digits(value, name) }
    case "boolean":
      return { BOOL: value }
    case "object":
      return fromObject(value, name)
    case "bigint":
    case "function":
    case "symbol":
    case "undefined":
      throw new TypeError(`${name} is a ${typeof value}, and no attribute`)
  }
}

function fromObject(value: object | null, name: string): Value {
  if (value === null) return { NULL: true }
  if (value instanceof Uint8Array) return { B: base64(value) }
  if (Array.isArray(value))
    return { L: value.filter((entry) => entry !== undefined).map((entry) => toValue(entry, name)) }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return { M: toItem(value) }
  throw new TypeError(`${name} is a ${value.constructor.name}, and no attribute`)
}

/** A larger whole number is not exact: what is written would not be what was meant. */
function digits(value: number, name: string): string {
  if (Number.isSafeInteger(value)) return String(value)
  if (Number.isFinite(value) && !Number.isInteger(value)) return String(value)
  throw new TypeError(`${name} is ${value}, which DynamoDB has no exact number for`)
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")
}

function fromValue(value: Value): unknown {
  for (const type in value) return read(type, value[type])
  throw new TypeError("an attribute without a value")
}

/** `held` has the form that DynamoDB documents for the type. */
function read(type: string, held: unknown): unknown {
  switch (type) {
    case "S":
    case "BOOL":
      return held
    case "N":
      return toNumber(held as string)
    case "B": {
      const bytes = Buffer.from(held as string, "base64")
      return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    }
    case "NULL":
      return null
    case "L":
      return (held as Value[]).map(fromValue)
    case "M":
      return toRow(held as Item)
    default:
      throw new TypeError(`an attribute of type ${type}, which nothing here writes`)
  }
}

function toNumber(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    throw new TypeError(`${text} is not exact as a number here`)
  return number
}
