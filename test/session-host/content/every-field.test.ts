import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { readFields } from "#session-host/content/reading.ts"
import { silent } from "#session-host/content/unknown.ts"
import { wrappers } from "#session-host/content/unwrap.ts"
import { messageFields } from "#session-host/network/message-proto/codec.ts"
import { generate } from "#session-host/network/message-proto/generate.ts"

const fields = new URL("../../../session-host/network/message-proto/fields.json", import.meta.url)
const page = readFileSync(new URL("../../../docs/network.md", import.meta.url), "utf8")
const rows = [...page.matchAll(/^\| +(\d+) \| `(\w+)` +\| (.+?) +\|$/gm)].map(
  ([, number, name, what]) => [Number(number), name!, what!] as const,
)

/** What becomes of a field, by the code that reads it. */
function fateOf(name: string): string {
  if (readFields.some((field) => field === name)) return "read"
  if (wrappers.some((field) => field === name)) return "wrapper"
  return silent.has(name) ? "silent" : "unknown"
}

test("the protocol's definitions are as its published copy has them", () => {
  expect(readFileSync(fields, "utf8")).toBe(generate())
})

test("docs/network.md says of each field of a message what becomes of it", () => {
  expect(rows.map(([number, name]) => [number, name])).toEqual([...messageFields])
})

/** The same, by the words of the page. */
function fateInWords(what: string): string {
  if (what.startsWith("a wrapper")) return "wrapper"
  if (what.includes("`unknown`")) return "unknown"
  return /nothing|^event|only the phone/.test(what) ? "silent" : "read"
}

test("what docs/network.md says becomes of a field is what the code does with it", () => {
  const said = rows.map(([, name, what]) => [name, fateInWords(what)])
  expect(said).toEqual(rows.map(([, name]) => [name, fateOf(name)]))
})
