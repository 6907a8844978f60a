import { expect, test } from "vitest"
import { wellFormedJson } from "#core/platform/well-formed-json.ts"

test.for([
  ["\0A\0da\0", "Ada"],
  ["\0", ""],
  ["half \ud83d", "half \ufffd"],
  ["\ude00 half", "\ufffd half"],
  ["whole 😀, tab \t, and what only looks like it: \\u0000 \\ud83d", undefined],
] as const)("%j is told without what no database stores", ([given, told = given]) => {
  const value = { name: given, list: [given, { deep: given }], n: 1, none: null, left: undefined }
  const expected = { name: told, list: [told, { deep: told }], n: 1, none: null }
  expect(JSON.parse(wellFormedJson(value))).toEqual(expected)
})
