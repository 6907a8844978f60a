import { expect, test } from "vitest"
import { lookAfter } from "./looks.ts"
import { readCommands } from "./page.ts"

test("the trial looks at what each command of the page has done", () => {
  const commands = readCommands("docs/one-machine.md")
  expect(commands.length).toBeGreaterThan(5)
  expect(commands.filter((command) => !lookAfter(command))).toEqual([])
})
