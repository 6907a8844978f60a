import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { config } from "#core/config.ts"
import { Settings } from "#local/settings.ts"

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

/** The settings that a schema of Zod reads: its fields. */
const fields = (path: string) =>
  [...read(path).matchAll(/^ +([A-Z][A-Z0-9_]+): /gm)].map((match) => match[1]!)

/** Of the tables: their cells. */
const rows = read("docs/settings.md")
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )

test("docs/settings.md names every setting that the code reads, and no other", () => {
  const atDeploy = [...read("infra/stage.ts").matchAll(/process\.env\.([A-Z_]+)|^ {2}([A-Z_]+): \//gm)].map(
    (match) => (match[1] ?? match[2])!,
  )
  const inCode = new Set([
    ...fields("core/config.ts"),
    ...fields("local/settings.ts"),
    ...atDeploy,
    // Read by the AWS SDK itself.
    "AWS_REGION",
  ])
  const inTables = read("docs/settings.md")
    .split("\n")
    .filter((line) => line.startsWith("|"))
  const named = inTables.flatMap((line) => line.split("|")[1]!.match(/(?<=`)[A-Z][A-Z0-9_]+(?=`)/g) ?? [])
  expect([...new Set(named)].toSorted()).toEqual([...inCode].toSorted())
})
