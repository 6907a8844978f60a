import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import type { z } from "zod"
import { Load, monthlyBill as billFor, sum } from "#infra/cost/monthly.ts"

const main = fileURLToPath(new URL("../../infra/cost/main.ts", import.meta.url))

/** The bill for a load, with the command's defaults. */
const monthly = (load: z.input<typeof Load>) => billFor(Load.parse(load))

function cost(...args: string[]) {
  return spawnSync(process.execPath, [main, ...args], { encoding: "utf8" })
}

test("a bridge more in a host with room costs its messages alone, and one that needs a host costs a host", () => {
  const [one, full, more] = [1, 40, 41].map((bridges) => monthly({ bridges, messages: 0 }))
  expect(full!["hosts (Fargate)"]).toBe(one!["hosts (Fargate)"])
  expect(more!["hosts (Fargate)"]).toBe(2 * full!["hosts (Fargate)"]!)
})

/** What one of so many bridges costs. */
const each = (bridges: number, more: object) => sum(monthly({ bridges, ...more })) / bridges

test("fuller hosts and Spot make a thousand bridges cheap, and smaller ones, or Spot, ten", () => {
  expect(each(1000, { sessions: 200 })).toBeLessThanOrEqual(0.15)
  expect(each(1000, { sessions: 150, spot: true })).toBeLessThanOrEqual(0.12)
  expect(each(10, { sessions: 20 })).toBeLessThanOrEqual(3.5)
  expect(each(10, { spot: true })).toBeLessThanOrEqual(3.5)
})

test("another region is dearer, but for keys and what looks from outside", () => {
  const [here, there] = ["us-east-1", "eu-central-1"].map((region) => monthly({ bridges: 1000, region }))
  expect(there!["hosts (Fargate)"]! / here!["hosts (Fargate)"]!).toBeCloseTo(1.15, 9)
  expect(there!["keys (KMS), health check"]).toBe(here!["keys (KMS), health check"])
  expect(cost("--region", "mars-1")).toMatchObject({ status: 1, stdout: "" })
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

test("kept messages cost writes and room, and nothing costs more where none are kept", () => {
  const load = { messages: 1000 }
  const [none, week, quarter] = [0, 7, 90].map((keep) => bill({ ...load, keep }))
  expect(none).toBe(bill(load))
  expect(week! - none!).toBeGreaterThan(0)
  expect(quarter).toBeGreaterThan(week!)
  expect((quarter! - none!) / 10).toBeLessThan(0.01)
})

test("a further webhook costs less than the message that it is told of, for each that comes in", () => {
  const cost = (webhooks: number, more: object = {}) => bill({ messages: 1000, webhooks, ...more })
  const each = cost(1) - cost(0)
  expect(each).toBeGreaterThan(0)
  expect(each).toBeLessThan(cost(0) - bill({}))
  expect(cost(4) - cost(0)).toBeCloseTo(4 * each, 9)
  expect(cost(1, { statuses: 500 }) - cost(0, { statuses: 500 })).toBeCloseTo(2 * each, 9)
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

test("a new service costs less than its customers' fees would, and each of a thousand bridges costs little", () => {
  expect(sum(monthly({ bridges: 10, messages: 1000 })) / 10).toBeLessThan(4.5)
  expect(sum(monthly({ bridges: 1000, messages: 1000 })) / 1000).toBeLessThan(0.38)
})

test("a stage at rest costs below $47 a month, one not in production below $26, also when its keys are old", () => {
  for (const year of [1, 3, 9]) {
    const atRest = (stage: "production" | "staging" | "personal") =>
      sum(monthly({ stage, year, bridges: 0, messages: 0 }))
    expect(atRest("production")).toBeLessThan(47)
    expect(atRest("staging")).toBeLessThan(26)
    expect(atRest("personal")).toBeLessThan(26)
  }
})

test("a key costs more after each of its first two rotations, and no more after that", () => {
  const keys = [1, 2, 3, 4].map(
    (year) => monthly({ bridges: 1, messages: 0, year })["keys (KMS), health check"]!,
  )
  expect(keys).toEqual([3, 6, 9, 9].map((ofKeys) => ofKeys + 1.5))
})

test("a stream and a page that stay open are paid for by the second", () => {
  for (const load of [{ streams: 1 }, { pages: 1 }]) {
    expect(bill(load) - bill({})).toBeGreaterThan(8.7)
    expect(bill(load) - bill({})).toBeLessThan(12)
  }
})

test("for programs the last line is the sum", () => {
  const { stdout } = cost("--bridges", "10", "--json")
  const said: unknown = JSON.parse(stdout.trimEnd().split("\n").at(-1)!)
  const total = expect.closeTo(sum(monthly({ bridges: 10, messages: 1000 })), 1)
  expect(said).toMatchObject({ bridges: 10, total, per_bridge: expect.closeTo(3.9, 0) })
})

test("the command refuses what is no number", () => {
  expect(cost("--bridges", "many")).toMatchObject({ status: 1, stdout: "" })
})
