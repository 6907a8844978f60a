import { randomBytes } from "node:crypto"
import type { BinaryNode } from "@whiskeysockets/baileys"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { newArrivals } from "#session-host/baileys/socket/arrivals.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
afterEach(() => void vi.useRealTimers())

function noneIsStuck(): never {
  throw new Error("a message is stuck")
}

function aMessage(...types: string[]) {
  const content = types.map((type) => ({ tag: "enc", attrs: { type }, content: randomBytes(8) }))
  const node: BinaryNode = { tag: "message", attrs: { id: "1" }, content }
  return { node, ciphertexts: content.map(({ content: bytes }) => bytes) }
}

test("a stanza is told after the messages before it, and before those after it matter", () => {
  const arrivals = newArrivals(noneIsStuck)
  const told: string[] = []
  const [first, second] = [aMessage("pkmsg", "skmsg"), aMessage("msg")]
  arrivals.message(first.node)
  arrivals.afterThose(() => told.push("call"))
  arrivals.message(second.node)
  arrivals.afterThose(() => told.push("offline"))

  arrivals.settled(first.ciphertexts[0]!)
  expect(told).toEqual([])
  arrivals.settled(second.ciphertexts[0]!)
  expect(told).toEqual([])
  arrivals.settled(first.ciphertexts[1]!)
  expect(told).toEqual(["call", "offline"])
})

test("with nothing before it a stanza is told at once, also after messages that are never decrypted", () => {
  const arrivals = newArrivals(noneIsStuck)
  const told: string[] = []
  arrivals.message({ tag: "message", attrs: { id: "1" } })
  arrivals.message(aMessage("msmsg", "msg").node)
  arrivals.afterThose(() => told.push("call"))
  expect(told).toEqual(["call"])
})

test("a message that Baileys drops holds up nothing", async () => {
  const arrivals = newArrivals(noneIsStuck)
  const told: string[] = []
  const message = aMessage("msg")
  arrivals.message(message.node)
  arrivals.afterThose(() => told.push("call"))
  arrivals.dropped(message.node)
  await arrivals.whenSettled(message.node)
  expect(told).toEqual(["call"])
})

test("a message of which nothing is heard any more holds up the rest for half a minute", async () => {
  const stuck: BinaryNode[] = []
  const arrivals = newArrivals((node) => stuck.push(node))
  const told: string[] = []
  const message = aMessage("msg")
  arrivals.message(message.node)
  arrivals.afterThose(() => told.push("call"))
  vi.advanceTimersByTime(29_000)
  expect(told).toEqual([])
  vi.advanceTimersByTime(2_000)
  expect(told).toEqual(["call"])
  expect(stuck).toEqual([message.node])
  await arrivals.whenSettled(message.node)
})

test("after the end nothing is told", () => {
  const arrivals = newArrivals(noneIsStuck)
  const told: string[] = []
  const message = aMessage("msg")
  arrivals.message(message.node)
  arrivals.afterThose(() => told.push("call"))
  arrivals.end()
  arrivals.settled(message.ciphertexts[0]!)
  vi.advanceTimersByTime(60_000)
  expect(told).toEqual([])
})
