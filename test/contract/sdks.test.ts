import { expect, test } from "vitest"
import { openapi } from "#contract/openapi.ts"
import { keywords } from "#contract/sdks/python-text.ts"
import { python } from "#contract/sdks/python.ts"

test("Python reads every field and parameter: one that is named by a word of the language has another name", () => {
  const modules = Object.values(python(openapi())).join("\n")
  const names = [...modules.matchAll(/^ {4}(?: {4})?(\w+): /gm)].map(([, name]) => name!)
  expect(names.length).toBeGreaterThan(500)
  expect(names.filter((name) => keywords.includes(name))).toEqual([])
  expect(modules).toMatch(/^ {4}as_: Literal\[.+\] = Field\(alias="as"\)$/m)
  expect(modules).toMatch(/\bfrom_: str\b/)
})
