import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { readCommands } from "./commands-in-page.ts"
import { lookAfter } from "./looks.ts"

test("the trial looks at what each command of the page has done", () => {
  const commands = readCommands("docs/one-machine.md")
  expect(commands.length).toBeGreaterThan(5)
  expect(commands.filter((command) => !lookAfter(command))).toEqual([])
})

test("every command of the page is run but those with Docker, which image:try has", () => {
  const page = readFileSync("docs/one-machine.md", "utf8")
  const sections = page.split(/^(?=## )/m)
  const unmarked = sections.filter((section) => /(?<!<!-- run -->\s+)```sh/.test(section))
  expect(unmarked.map((section) => section.split("\n")[0])).toEqual(["## With Docker"])
})
