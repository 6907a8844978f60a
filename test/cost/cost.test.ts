import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { monthly, sum } from "#cost/monthly.ts"

const main = fileURLToPath(new URL("../../cost/main.ts", import.meta.url))

function cost(...args: string[]) {
  return spawnSync(process.execPath, [main, ...args], { encoding: "utf8" })
}

test("a bridge more in a host with room costs its messages alone, and the one that needs a host costs a host", () => {
  const [one, full, more] = [1, 30, 31].map((bridges) => monthly({ bridges, messages: 0 }))
  expect(full!["hosts (Fargate)"]).toBe(one!["hosts (Fargate)"])
  expect(more!["hosts (Fargate)"]).toBe(2 * full!["hosts (Fargate)"]!)
})

test("packed hosts leave a margin at three dollars a number, from a hundred bridges on", () => {
  for (const bridges of [100, 1000, 10_000])
    expect(sum(monthly({ bridges, messages: 1000 })) / bridges).toBeLessThan(1.5)
})

const bill = (load: object) => sum(monthly({ bridges: 10, messages: 0, ...load }))

test("a message in a group and a status cost what a message costs that comes in", () => {
  const [none, groups, statuses, both] = [
    {},
    { groups: 500 },
    { statuses: 500 },
    { groups: 250, statuses: 250 },
  ].map(bill)
  expect(groups! - none!).toBeGreaterThan(0)
  expect(statuses).toBeCloseTo(groups!, 9)
  expect(both).toBeCloseTo(groups!, 9)
  // Those out and in are 1,000 together: half of them cost more.
  expect(groups! - none!).toBeLessThan(bill({ messages: 1000 }) - none!)
})

test("the command prints a bill for three sizes, or for one that is asked for", () => {
  const { stdout, status } = cost()
  expect(status).toBe(0)
  expect(stdout).toMatch(/^bridges +10 +1000 +10000$/m)
  expect(stdout).toMatch(/^in all( +\d+\.\d\d){3}$/m)
  expect(cost("--bridges", "1", "--groups", "10000", "--statuses", "0").stdout).toMatch(
    /^groups, told +0\.[1-9]\d\nstatuses, told +0\.00$/m,
  )
  const { stdout: quiet } = cost("--bridges", "200", "--messages", "0")
  expect(quiet).toMatch(/^store, messages +0\.00$/m)
  expect(quiet).not.toContain("billing")
  expect(cost("--bridges", "200", "--billing").stdout).toMatch(/^billing +[01]\.\d\d$/m)
})

test("the command refuses what is no number", () => {
  expect(cost("--bridges", "many")).toMatchObject({ status: 1, stdout: "" })
})
