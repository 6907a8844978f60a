import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, test } from "vitest"

test("--help prints every option of a trial with its default, and starts nothing", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["trials/chaos/main.ts", "--help"])
  expect(stdout).toMatch(/^ +--kills +\(40\) Kills and pauses/m)
  expect(stdout).toMatch(/^ +--break +The rule .* gate, /m)
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .filter((line) => !/^ +--[a-z-]+ +(?:\([\w,]+\) )?[A-Z`].*\.$/.test(line)),
  ).toEqual([])
})
