import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { buildMessage, toText } from "#session-host/content/compose.ts"
import { NetworkRejected, NotSent, OutcomeUnknown } from "#session-host/network/errors.ts"
import { timing } from "#session-host/timing.ts"
import { type Transmission, transmissionNow } from "#session-host/whatsapp/send/transmission.ts"
import { newAcks, newSender } from "#session-host/whatsapp/send/transmit.ts"
import { type Keys, keysOf } from "#session-host/whatsapp/signal/keys.ts"
import { aVault } from "#test/support/session/vault.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }))
afterEach(() => void vi.useRealTimers())

const message = { messageId: "3EB0", chat: "1@lid", message: buildMessage(toText("x")) }

/**
 * Does what Baileys does with a message: it encrypts it, looks at the nodes that go with it, and hands the
 * stanza over.
 */
type Relay = (sending: Transmission, additionalNodes: unknown[]) => Promise<void>

/** A sender whose stanzas leave as `relay` says. */
function aSender(relay: Relay, keys: Pick<Keys, "get" | "set"> = keysOf(aVault())) {
  const late: [string, number][] = []
  const acks = newAcks(timing().ackMs, (messageId, timestamp) => late.push([messageId, timestamp]))
  const world = { open: true }
  const relayed: string[] = []
  const send = newSender({
    sock: {
      async relayMessage(_chat, _content, { messageId, additionalNodes }) {
        await relay(transmissionNow()!, additionalNodes!)
        relayed.push(messageId!)
        return messageId!
      },
    },
    acks,
    keys,
    keep: async () => {},
    otherNameOf: async () => ({}),
    addressOf: async (chat) => chat,
    senderKeys: { renewIfLeft: async () => {}, versionOf: () => 0 },
    me: () => undefined,
    isOpen: () => world.open,
    onRefused: () => {},
    onError: (error) => expect.fail(String(error)),
    missed: async () => {},
  })
  return { send, acks, late, world, relayed }
}

const leaves: Relay = async (sending, nodes) => {
  await sending.addMessageOnce(async () => {})
  if (nodes.length >= 0 && !sending.handOver()) throw new Error("the connection sends no more")
}
const leavesToGroup: Relay = async (sending, nodes) => {
  await leaves(sending, nodes)
  sending.holdBackKeyHolders({ "sender-key-memory": { "1@g.us": { "2@lid": true } } })
}
const failing = async () => {
  throw new Error("the session has ended")
}
const ack = (attrs: Record<string, string>) => ({
  tag: "ack",
  attrs: { class: "message", id: "3EB0", ...attrs },
})

test("a send gives the network's time", async () => {
  const { send, acks } = aSender(leaves)
  const sent = send(message, false)
  await vi.advanceTimersByTimeAsync(1)
  acks.onAck(ack({ t: "1700000000" }))
  expect(await sent).toEqual({ timestamp: 1_700_000_000 })
})

test("an acknowledged message stays so when it cannot be noted who has the group's key now", async () => {
  const { send, acks } = aSender(leavesToGroup, { ...keysOf(aVault()), set: failing })
  const sent = send(message, false)
  await vi.advanceTimersByTimeAsync(1)
  acks.onAck(ack({ t: "7" }))
  expect(await sent).toEqual({ timestamp: 7 })
})

test("an answer that comes before the sending is over counts", async () => {
  const world = aSender(async (sending, nodes) => {
    await leaves(sending, nodes)
    world.acks.onAck(ack({ t: "7" }))
  })
  expect(await world.send(message, false)).toEqual({ timestamp: 7 })
})

test("without an answer for 15 seconds the outcome is unknown, and a later answer is told", async () => {
  const { send, acks, late } = aSender(leaves)
  const sent = send(message, false)
  const ended = vi.fn<() => void>()
  sent.catch(ended)
  await vi.advanceTimersByTimeAsync(14_900)
  expect(ended).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(200)
  await expect(sent).rejects.toThrow(OutcomeUnknown)

  acks.onAck(ack({ t: "9" }))
  acks.onAck(ack({ t: "10" }))
  expect(late).toEqual([["3EB0", 9]])
})

test("a message whose answer does not come holds up no other behind it", async () => {
  const { send, acks, relayed } = aSender(leaves)
  const first = send(message, false)
  const second = send({ ...message, messageId: "3EB1" }, false)
  await vi.advanceTimersByTimeAsync(1)
  expect(relayed).toEqual(["3EB0", "3EB1"])
  acks.onAck(ack({ id: "3EB1", t: "8" }))
  expect(await second).toEqual({ timestamp: 8 })
  acks.onAck(ack({ t: "9" }))
  expect(await first).toEqual({ timestamp: 9 })
})

test("a message that had to wait for others for too long was not sent, and never will be", async () => {
  // The preparation of the first two never ends.
  const { send, relayed } = aSender(() => new Promise(() => {}))
  const ends = ["3EB0", "3EB1", "3EB2"].map((messageId) =>
    send({ ...message, messageId }, false).catch((error: Error) => error.message),
  )
  await vi.advanceTimersByTimeAsync(60_000)
  expect((await Promise.all(ends)).at(-1)).toBe("others were before it for too long")
  expect(relayed).toEqual([])
})

test("a refusal has its number", async () => {
  const { send, acks } = aSender(leaves)
  const sent = send(message, false)
  await vi.advanceTimersByTimeAsync(1)
  acks.onAck(ack({ error: "479" }))
  await expect(sent).rejects.toEqual(new NetworkRejected(479))
})

test("a message that fails before its stanza leaves was not sent", async () => {
  const { send } = aSender(async () => {
    throw new Error("no devices")
  })
  await expect(send(message, false)).rejects.toThrow(NotSent)
})

test("a failure once the message is kept, before the stanza leaves, has an unknown outcome if offline", async () => {
  const { send, world } = aSender(async (sending) => {
    await sending.addMessageOnce(async () => {})
    world.open = false
    throw new Error("closed")
  })
  await expect(send(message, false)).rejects.toThrow(OutcomeUnknown)
})

test("sending again never says that nothing was sent", async () => {
  const { send, world } = aSender(async () => {
    throw new Error("no devices")
  })
  await expect(send(message, true)).rejects.toThrow(OutcomeUnknown)
  world.open = false
  await expect(send(message, true)).rejects.toThrow(OutcomeUnknown)
})

test("a failure after the stanza has left is decided by the answer", async () => {
  const { send, acks } = aSender(async (sending, nodes) => {
    await leaves(sending, nodes)
    throw new Error("a commit after it")
  })
  const sent = send(message, false)
  await vi.advanceTimersByTimeAsync(1)
  acks.onAck(ack({ t: "3" }))
  expect(await sent).toEqual({ timestamp: 3 })
})

test("a message that is not prepared in 20 seconds is given up for good, and the next one has its turn", async () => {
  const all: Transmission[] = []
  const { send, acks } = aSender(async (sending, nodes) => {
    all.push(sending)
    if (all.length === 1) await new Promise(() => {})
    await leaves(sending, nodes)
  })
  const first = send(message, false)
  first.catch(() => {})
  const second = send({ ...message, messageId: "3EB1" }, false)
  await vi.advanceTimersByTimeAsync(20_001)
  await expect(first).rejects.toThrow(NotSent)
  expect(() => all[0]?.mustGoOn()).toThrow("given up")
  acks.onAck(ack({ id: "3EB1", t: "5" }))
  expect(await second).toEqual({ timestamp: 5 })
})

test("when the connection ends, those who wait hear that the outcome is unknown", async () => {
  const { send, acks } = aSender(leaves)
  const sent = send(message, false)
  await vi.advanceTimersByTimeAsync(1)
  acks.end()
  await expect(sent).rejects.toThrow(OutcomeUnknown)
})
