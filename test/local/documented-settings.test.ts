import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { config } from "#core/platform/config.ts"
import { ServeSettings, Settings } from "#local/service/settings.ts"

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

/** The settings that a Zod schema reads: its fields. */
const fields = (path: string) =>
  [...read(path).matchAll(/^ +([A-Z][A-Z0-9_]+): /gm)].map((match) => match[1]!)

/** The variables that `infra/` reads, and those that it passes on. */
const atDeploy = [
  ...read("infra/stage/settings.ts").matchAll(/process\.env\.([A-Z_]+)/g),
  ...read("infra/stage/passed-on.ts").matchAll(/^ {2}([A-Z_]+): \//gm),
].map((match) => (match[1] ?? match[2])!)

/** The items of the page's lists: what stands before the colon, and the default within parentheses there. */
const items = read("docs/settings.md")
  .replaceAll("\n  ", " ")
  .split("\n")
  .filter((line) => line.startsWith("- "))
  .map((line) => ({
    names: /^- ((?:`[A-Z_]+`(?:, )?)+)/.exec(line)?.[1] ?? line,
    value: /^- `[A-Z_]+` \(([^)]*)\)/.exec(line)?.[1] ?? "",
  }))

test("docs/settings.md names every setting that the code reads, and no other", () => {
  // The AWS SDK itself reads the region.
  const inCode = new Set([
    ...fields("core/platform/config.ts"),
    ...fields("local/service/settings.ts"),
    ...atDeploy,
    "AWS_REGION",
  ])
  const named = items.flatMap(({ names }) => names.match(/(?<=`)[A-Z][A-Z0-9_]+(?=`)/g) ?? [])
  expect([...new Set(named)].toSorted()).toEqual([...inCode].toSorted())
})

test("the numbers that docs/settings.md gives are the code's own", () => {
  const required = { PUBLIC_URL: "https://wa.example.com", OPERATOR_EMAIL: "operator@example.com" }
  const inCode: Record<string, unknown> = {
    ...config,
    ...ServeSettings.parse(required),
    ...Settings.parse({}),
  }
  const numbers = items.filter(({ value }) => /^\d+$/.test(value))
  expect(numbers.length).toBeGreaterThan(7)
  for (const { names, value } of numbers)
    expect(`${names}: ${value}`).toBe(`${names}: ${String(inCode[names.replaceAll("`", "")])}`)
})
