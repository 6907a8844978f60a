import { isDeepStrictEqual } from "node:util"
import { invalid, type Refusal } from "../refusal.ts"
import { canonical, compareNumbers } from "./number.ts"

/**
 * An attribute's value in DynamoDB's JSON: one member, named after its type. Never changed once it is stored.
 */
export type Value = Record<string, unknown>
export type Item = Record<string, Value>

/** What each type holds in JSON. */
export interface Held {
  S: string
  N: string
  B: string
  BOOL: boolean
  NULL: true
  L: Value[]
  M: Item
}
export type Type = keyof Held

/** The most that an item may have, in bytes, its attributes' names included. */
export const largestItem = 400 * 1024
/** How many lists and maps may lie in one another. */
const deepest = 31

export function typeOf(value: Value): Type {
  for (const type in value) return type as Type // checked when it came in
  throw invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
}

/** What `value` holds if it is of this type. */
export function held<T extends Type>(value: Value | undefined, type: T): Held[T] | undefined {
  return value?.[type] as Held[T] | undefined // checked when it came in
}

/** The value with its numbers in canonical form. @throws Refusal if DynamoDB would not take it. */
export function checkedValue(value: unknown, depth = 0): Value {
  if (typeof value !== "object" || value === null) throw malformed("Unexpected value type in payload")
  const [type, another] = Object.keys(value)
  if (type === undefined)
    throw invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
  if (another !== undefined)
    throw invalid(
      "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
    )
  if ((type === "L" || type === "M") && depth >= deepest)
    throw invalid("Nesting Levels have exceeded supported limits")
  if (!isType(type))
    throw invalid(`The embedded store has no attributes of type ${type}: nothing here writes one`)
  const content = (value as Value)[type]
  const right = checks[type](content, depth)
  return right === content ? (value as Value) : { [type]: right }
}

const isType = (name: string): name is Type => Object.hasOwn(checks, name)
/** Each check returns what it was given if that is canonical. */
const checks: Record<Type, (content: unknown, depth: number) => unknown> = {
  S: text,
  N: (content) => canonical(text(content)),
  B: bytes,
  BOOL: truth,
  NULL(content) {
    if (!truth(content))
      throw invalid(
        "One or more parameter values were invalid: Null attribute value types must have the value of true",
      )
    return true
  },
  L: (content, depth) => list(content).map((one) => checkedValue(one, depth + 1)),
  M: (content, depth) => checkedItem(content, depth + 1),
}

/** @throws Refusal if one of its values is not one of DynamoDB's */
export function checkedItem(item: unknown, depth = 0): Item {
  if (typeof item !== "object" || item === null || Array.isArray(item))
    throw malformed("Unexpected value type in payload")
  const right: Item = {}
  for (const name in item) {
    if (name === "") throw invalid("Empty attribute name")
    if (name === "__proto__") throw noSuchName()
    right[name] = checkedValue((item as Item)[name], depth)
  }
  return right
}

/** A JavaScript object would not keep a member of this name. */
export function noSuchName(): Refusal {
  return invalid("The embedded store has no attribute called __proto__: nothing here writes one")
}

function malformed(message: string) {
  return Object.assign(invalid(message), {
    body: { __type: "com.amazon.coral.service#SerializationException", Message: message },
  })
}

function text(content: unknown): string {
  if (typeof content !== "string") throw malformed("Expected a string")
  return content
}

function bytes(content: unknown): string {
  const given = text(content)
  if (Buffer.from(given, "base64").toString("base64") !== given)
    throw malformed("Invalid base64 in a binary value")
  return given
}

function truth(content: unknown): boolean {
  if (typeof content !== "boolean") throw malformed("Expected a boolean")
  return content
}

function list(content: unknown): unknown[] {
  if (!Array.isArray(content)) throw malformed("Expected a list")
  return content
}

/** The size of an item as DynamoDB counts it: names and content, in bytes. */
export function itemSize(item: Item): number {
  let size = 0
  for (const name in item) size += Buffer.byteLength(name) + sizeOf(item[name]!)
  return size
}

function sizeOf(value: Value): number {
  const type = typeOf(value)
  const content = value[type]
  switch (type) {
    case "S":
      return Buffer.byteLength(content as string)
    case "B":
      return Buffer.byteLength(content as string, "base64")
    case "N":
      return sizeOfNumber(content as string)
    case "BOOL":
    case "NULL":
      return 1
    case "L":
      return (content as Value[]).reduce((sum, one) => sum + 1 + sizeOf(one), 3)
    case "M":
      return 3 + Object.keys(content as Item).length + itemSize(content as Item)
  }
}

function sizeOfNumber(text: string): number {
  const digits = text.replaceAll(/[-.]|^0\.0*|0+$/g, "").length
  return Math.ceil(digits / 2) + 1 + Number(text.startsWith("-"))
}

/**
 * Equal numbers are written in one way, so that equal values are equal in JSON, but for the order of a map.
 */
export function isEqual(a: Value, b: Value): boolean {
  return isDeepStrictEqual(a, b)
}

/** Less than zero if `a` comes before `b`; undefined if they are of two types, or of one without an order. */
export function compare(a: Value, b: Value): number | undefined {
  const type = typeOf(a)
  if (type !== typeOf(b)) return undefined
  const [x, y] = [a[type] as string, b[type] as string]
  if (type === "N") return compareNumbers(x, y)
  const encoding = encodings.get(type)
  return encoding && Buffer.compare(Buffer.from(x, encoding), Buffer.from(y, encoding))
}

/** The types that are ordered by their bytes. */
const encodings = new Map<Type, BufferEncoding>([
  ["S", "utf8"],
  ["B", "base64"],
])
