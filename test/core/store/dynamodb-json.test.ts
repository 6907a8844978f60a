import { marshall } from "@aws-sdk/util-dynamodb"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { toItem, toRow } from "#core/store/dynamodb-json.ts"

const Leaf = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
  fc.boolean(),
  fc.constant(null),
  fc.uint8Array(),
)
/** Without the names that the SDK's marshaller takes for a class. */
const Name = fc.string({ minLength: 1 }).filter((name) => !["__proto__", "constructor"].includes(name))
const { value: Value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    Leaf,
    fc.array(tie("value")),
    fc.dictionary(Name, tie("value"), { noNullPrototype: true }),
  ),
}))
const AnyRow = fc.dictionary(Name, Value, { noNullPrototype: true })

test("a row is read as it was written, whatever is in it", () => {
  fc.assert(
    fc.property(AnyRow, (row) => {
      expect(toRow(toItem(row))).toEqual(row)
    }),
  )
})

test("a row is written as the SDK's own marshaller writes it, with bytes in base64 as they are sent", () => {
  fc.assert(
    fc.property(AnyRow, (row) => {
      expect(toItem(row)).toEqual(inBase64(marshall(row)))
    }),
  )
})

function inBase64(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64")
  if (Array.isArray(value)) return value.map(inBase64)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inBase64(inner)]))
}

test("an undefined member is not there, at any depth", () => {
  const row = { a: undefined, b: { c: undefined, d: [1, undefined, 2] } }
  expect(toItem(row)).toEqual({ b: { M: { d: { L: [{ N: "1" }, { N: "2" }] } } } })
})

test.for([
  ["no number", Number.NaN],
  ["an endless number", Infinity],
  ["a whole number that is not exact", 2 ** 53],
  ["a date", new Date(0)],
  ["a map", new Map()],
  ["a function", () => 1],
  ["a bigint", 1n],
] as const)("%s is no attribute", ([, value]) => {
  expect(() => toItem({ outer: [{ inner: value }] })).toThrow(/^inner is .*(no attribute|exact number)/)
})

test("a number that would be read as another one is not read", () => {
  expect(() => toRow({ n: { N: "9007199254740993" } })).toThrow(/not exact/)
})
