import { randomBytes } from "node:crypto"
import type { BinaryNode } from "@whiskeysockets/baileys"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import {
  newBackpressure,
  newUnsettledStanzas,
  type UnsettledStanzas,
} from "#session-host/whatsapp/receive/read-in-order.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
afterEach(() => void vi.useRealTimers())

/** Whether reading goes on is noted in `read`. */
function newArrivalsHere(onStuck: (node: BinaryNode) => void = noneIsStuck) {
  const read: string[] = []
  const backpressure = newBackpressure((until) => {
    read.push("no more")
    void until.then(() => read.push("on"))
  })
  return { ...backpressure, ...newUnsettledStanzas({ backpressure, onStuck }), read }
}

function noneIsStuck(): never {
  throw new Error("a message is stuck")
}

const aCall: BinaryNode = { tag: "call", attrs: {} }

function aMessage(...types: string[]) {
  return aMessageOf(8, ...types)
}

function aMessageOf(bytes: number, ...types: string[]) {
  const content = types.map((type) => ({ tag: "enc", attrs: { type }, content: randomBytes(bytes) }))
  const node: BinaryNode = { tag: "message", attrs: { id: "1" }, content }
  return { node, ciphertexts: content.map(({ content: bytes }) => bytes) }
}

test("a stanza has its turn after the messages before it, and before those after it matter", () => {
  const arrivals = newArrivalsHere()
  const had: string[] = []
  const [first, second] = [aMessage("pkmsg", "skmsg"), aMessage("msg")]
  arrivals.message(first.node)
  arrivals.afterThose(aCall, () => had.push("call"))
  arrivals.message(second.node)
  arrivals.afterThose(aCall, () => had.push("offline"))

  arrivals.settled(first.ciphertexts[0]!)
  expect(had).toEqual([])
  arrivals.settled(second.ciphertexts[0]!)
  expect(had).toEqual([])
  arrivals.settled(first.ciphertexts[1]!)
  expect(had).toEqual(["call", "offline"])
})

test("with nothing before it a stanza has its turn at once, also after messages that are never decrypted", () => {
  const arrivals = newArrivalsHere()
  const had: string[] = []
  arrivals.message({ tag: "message", attrs: { id: "1" } })
  arrivals.message(aMessage("msmsg", "msg").node)
  arrivals.afterThose(aCall, () => had.push("call"))
  expect(had).toEqual(["call"])
})

test("a message that Baileys drops holds up nothing", async () => {
  const arrivals = newArrivalsHere()
  const had: string[] = []
  const message = aMessage("msg")
  arrivals.message(message.node)
  arrivals.afterThose(aCall, () => had.push("call"))
  arrivals.dropped(message.node)
  await arrivals.whenSettled(message.node)
  expect(had).toEqual(["call"])
})

test("a message of which nothing is heard any more holds up the rest for half a minute", async () => {
  const stuck: BinaryNode[] = []
  const arrivals = newArrivalsHere((node) => stuck.push(node))
  const had: string[] = []
  const message = aMessage("msg")
  arrivals.message(message.node)
  arrivals.afterThose(aCall, () => had.push("call"))
  vi.advanceTimersByTime(29_000)
  expect(had).toEqual([])
  vi.advanceTimersByTime(2_000)
  expect(had).toEqual(["call"])
  expect(stuck).toEqual([message.node])
  await arrivals.whenSettled(message.node)
})

const settle = (arrivals: Pick<UnsettledStanzas, "settled">, messages: ReturnType<typeof aMessage>[]) => {
  for (const { ciphertexts } of messages) for (const each of ciphertexts) arrivals.settled(each)
}

test.for<[string, number, () => ReturnType<typeof aMessage>]>([
  ["many", 201, () => aMessage("msg")],
  ["large", 9, () => aMessageOf(900_000, "msg")],
])("while %s messages wait nothing more is read, until half of that is settled", async ([, count, make]) => {
  const arrivals = newArrivalsHere()
  const messages = Array.from({ length: count }, make)
  for (const { node } of messages.slice(0, -1)) arrivals.message(node)
  expect(arrivals.read).toEqual([])
  arrivals.message(messages.at(-1)!.node)
  expect(arrivals.read).toEqual(["no more"])
  const half = Math.ceil(count / 2)
  settle(arrivals, messages.slice(0, half - 1))
  await Promise.resolve()
  expect(arrivals.read).toEqual(["no more"])
  settle(arrivals, messages.slice(half - 1, half + 1))
  await Promise.resolve()
  expect(arrivals.read).toEqual(["no more", "on"])
})

test("stanzas that wait behind a message count as well, and so do messages that are not encrypted", () => {
  const arrivals = newArrivalsHere()
  arrivals.message(aMessage("msg").node)
  for (let n = 0; n < 100; n++) arrivals.afterThose(aCall, () => {})
  for (let n = 0; n < 99; n++) arrivals.message({ tag: "message", attrs: {} })
  expect(arrivals.read).toEqual([])
  arrivals.message({ tag: "message", attrs: {} })
  expect(arrivals.read).toEqual(["no more"])
})

test("while a message may depend on an answer of the network, the network is read, however much waits", async () => {
  const arrivals = newArrivalsHere()
  const messages = Array.from({ length: 201 }, () => aMessage("msg"))
  for (const { node } of messages) arrivals.message(node)
  const answered = Promise.withResolvers<string>()
  const answer = arrivals.whileAsking(() => answered.promise)
  await Promise.resolve()
  expect(arrivals.read).toEqual(["no more", "on"])
  arrivals.message(aMessage("msg").node)
  expect(arrivals.read).toEqual(["no more", "on"])
  answered.resolve("who it is")
  expect(await answer).toBe("who it is")
  expect(arrivals.read).toEqual(["no more", "on", "no more"])
})

test("stanzas that are worked at count as well, unless a question to the network is open", async () => {
  const arrivals = newArrivalsHere()
  const done = Promise.withResolvers<void>()
  const worked = Array.from({ length: 201 }, (_, n) =>
    arrivals.whileWorking({ tag: "receipt", attrs: { id: `${n}` } }, () => done.promise),
  )
  expect(arrivals.read).toEqual(["no more"])
  arrivals.asked(1)
  await Promise.resolve()
  expect(arrivals.read).toEqual(["no more", "on"])
  arrivals.asked(-1)
  expect(arrivals.read).toEqual(["no more", "on", "no more"])
  done.resolve()
  await Promise.all(worked)
  expect(arrivals.read).toEqual(["no more", "on", "no more", "on"])
})

test("after the end nothing has its turn", () => {
  const arrivals = newArrivalsHere()
  const had: string[] = []
  const message = aMessage("msg")
  arrivals.message(message.node)
  arrivals.afterThose(aCall, () => had.push("call"))
  arrivals.end()
  arrivals.settled(message.ciphertexts[0]!)
  vi.advanceTimersByTime(60_000)
  expect(had).toEqual([])
})
