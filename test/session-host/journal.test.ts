import { createHash, randomBytes } from "node:crypto"
import { DeleteCommand } from "@aws-sdk/lib-dynamodb"
import { proto, writeRandomPadMax16 } from "@whiskeysockets/baileys"
import { expect, onTestFinished, test } from "vitest"
import { dynamoDb } from "#test/support/store.ts"
import { aHost, eventsOf, eventsOfType, held } from "#test/support/host.ts"
import { transactions } from "#test/support/held.ts"
import { aMemory } from "#test/support/memory.ts"
import { aNetwork } from "#test/support/network.ts"
import { aPairedSession } from "#test/support/paired.ts"
import { aReceived } from "#test/support/received.ts"
import { sealed } from "#test/support/sealed.ts"
import { DataKeys } from "#core/data-keys.ts"
import { Delivery } from "#core/delivery.ts"
import type { Event } from "#core/contract/event.ts"
import { EventRow } from "#core/event-row.ts"
import { Lease } from "#core/lease.ts"
import { query, store } from "#core/store.ts"
import { events, sessions } from "#core/tables.ts"
import { connect } from "#session-host/baileys/connect.ts"
import { Journal } from "#session-host/journal.ts"
import type { Received } from "#session-host/network.ts"
import { until } from "#test/support/until.ts"

const bodies = (events: Event[]) =>
  events.map((event) => (event.event === "message" ? event.body : event.event))

async function rowsOf(bridgeId: string, prefix: string) {
  const rows = query({
    TableName: sessions,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
    ExpressionAttributeValues: { ":pk": `BRIDGE#${bridgeId}`, ":prefix": prefix },
  })
  return (await Array.fromAsync(rows)).map((row) => String(row.sk))
}

const padded = (content: proto.IMessage) => writeRandomPadMax16(proto.Message.encode(content).finish())
const aContent = (id: string, content: proto.IMessage) => aReceived({ id, plaintext: padded(content) })

/** Journals like a session that dies right after its commit. */
async function journalOnly(one: Awaited<ReturnType<typeof aMemory>>, ...messages: Received[]) {
  const journal = new Journal(one.memory.store, one.lease.epoch, () => {})
  for (const message of messages) await one.memory.commits.write(journal.add(message).writes)
  one.crash()
  await Lease.letGo(one.lease)
}

test("messages become event rows in the order of their journal, and leave it in the same commit", async () => {
  const { memory, bridgeId } = await aMemory()
  const asked = transactions()
  const texts = Array.from({ length: 50 }, (_, i) => `message ${i}`)
  await Promise.all(texts.map((text) => memory.vault.keep({ received: aReceived({ text }) })))
  await memory.settled()
  expect(bodies(await eventsOf(bridgeId))).toEqual(texts)
  expect(await rowsOf(bridgeId, "JOURNAL#")).toEqual([])
  // 50 messages are three rows each on their way in and three on their way out: they share commits.
  expect(asked.length).toBeLessThan(12)
})

test("what refers to a message is read with it, though both become events in one commit", async () => {
  const first = await aMemory()
  const bob = "491710000001@s.whatsapp.net"
  const secret = randomBytes(32)
  const poll = aContent("POLL", {
    pollCreationMessageV3: { name: "?", options: [{ optionName: "Soup" }, { optionName: "Salad" }] },
    messageContextInfo: { messageSecret: secret },
  })
  const selectedOptions = [createHash("sha256").update("Salad").digest()]
  const answer = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish()
  const names = { original: "POLL", secret, creator: bob, responder: bob }
  const vote = aContent("VOTE", {
    pollUpdateMessage: {
      pollCreationMessageKey: { id: "POLL" },
      vote: sealed("Poll Vote", answer, names),
    },
  })
  const forgery = aReceived({
    id: "FORGERY",
    attrs: { from: "120@g.us", participant: "491710000002@s.whatsapp.net" },
    plaintext: padded({
      protocolMessage: {
        key: { id: "SAID" },
        type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
        editedMessage: { conversation: "never said" },
      },
    }),
  })
  const said = aReceived({ id: "SAID", text: "said", attrs: { from: "120@g.us", participant: bob } })
  await journalOnly(first, poll, vote, said, forgery)
  const asked = transactions()
  const next = await aMemory({ bridgeId: first.bridgeId })
  expect((await eventsOf(next.bridgeId)).slice(1)).toMatchObject([
    { event: "poll_vote", poll_id: "POLL", selected_options: ["Salad"] },
    { event: "message", body: "said" },
  ])
  expect(asked).toHaveLength(1)
})

test("a message is journalled with its ratchet, in one commit", async () => {
  const { memory } = await aMemory()
  const asked = transactions()
  const received = aReceived()
  await memory.vault.keep({ keys: [{ type: "session", id: "491.0", value: "ratchet" }], received })
  expect(asked[0]!.rows).toEqual([
    "LEASE",
    "JOURNAL#000000000002-000000000001",
    `SEEN#${received.hash}`,
    "SIGNAL#000001#session#491.0",
  ])
})

test("many large messages become events in several commits, none of which parts a message from its event", async () => {
  const first = await aMemory()
  const texts = Array.from({ length: 14 }, (_, i) => `${i} `.padEnd(300_000, "x"))
  await journalOnly(first, ...texts.map((text) => aReceived({ text })))
  const asked = transactions()
  const next = await aMemory({ bridgeId: first.bridgeId })
  expect(next.happened.filter((what) => what.startsWith("ended"))).toEqual([])
  expect(bodies(await eventsOf(next.bridgeId))).toEqual(texts)
  expect(await rowsOf(next.bridgeId, "JOURNAL#")).toEqual([])
  const drains = asked.map(({ rows }) => ({
    events: rows.filter((row) => row.startsWith("EVENT#")).length,
    removed: rows.filter((row) => row.startsWith("JOURNAL#")).length,
  }))
  expect(drains.length).toBeGreaterThan(1)
  for (const { events, removed } of drains) expect(removed).toBe(events)
})

test("the same happening in another ciphertext is told once", async () => {
  const { memory, bridgeId } = await aMemory()
  await memory.vault.keep({ received: aReceived({ id: "SAME", text: "first" }) })
  await memory.settled()
  await memory.vault.keep({ received: aReceived({ id: "SAME", text: "again" }) })
  await Promise.all([
    memory.vault.keep({ received: aReceived({ id: "OTHER", text: "twice" }) }),
    memory.vault.keep({ received: aReceived({ id: "OTHER", text: "in one batch" }) }),
  ])
  await memory.settled()
  expect(bodies(await eventsOf(bridgeId))).toEqual(["first", "twice"])
  expect(await rowsOf(bridgeId, "JOURNAL#")).toEqual([])
})

test("a message that cannot be read is set aside, and those behind it go on", async () => {
  const { memory, bridgeId } = await aMemory()
  await Promise.all([
    memory.vault.keep({ received: aReceived({ text: "before" }) }),
    memory.vault.keep({ received: aReceived({ plaintext: Buffer.from([0xff, 0xff, 1]) }) }),
    memory.vault.keep({ received: aReceived({ text: "x".repeat(390_000) }) }),
    memory.vault.keep({ received: aReceived({ text: "after" }) }),
  ])
  await memory.settled()
  expect(bodies(await eventsOf(bridgeId))).toEqual(["before", "after"])
  expect(await rowsOf(bridgeId, "JOURNAL#")).toEqual([])
  // Of the large one two pieces.
  expect(await rowsOf(bridgeId, "PARKED#")).toHaveLength(3)
})

test("what was set aside is read again by the next session, and stays aside if that fails too", async () => {
  const first = await aMemory()
  const unreadable = aReceived({ id: "ODD", plaintext: Buffer.from([0xff, 0xff, 1]) })
  await first.memory.vault.keep({ received: unreadable })
  await first.letGo()
  const second = await aMemory({ bridgeId: first.bridgeId })
  await second.letGo()
  expect(await rowsOf(first.bridgeId, "PARKED#")).toHaveLength(1)
  expect(await eventsOf(first.bridgeId)).toEqual([])

  const fixed = await aMemory({
    bridgeId: first.bridgeId,
    map: ({ attrs }) => [{ identity: ["fixed"], event: { event: "connected", phone: attrs.id! } }],
  })
  await fixed.letGo()
  expect(await eventsOf(first.bridgeId)).toEqual([{ event: "connected", phone: "ODD" }])
  expect(await rowsOf(first.bridgeId, "PARKED#")).toEqual([])
})

test("a message is known while it is journalled, and as drained afterwards", async () => {
  const { memory } = await aMemory()
  const received = aReceived()
  expect(await memory.vault.lookUp(received.hash)).toEqual({ state: "new" })
  await memory.vault.keep({ received })
  expect(await memory.vault.lookUp(received.hash)).toEqual({
    state: "journalled",
    plaintext: received.plaintext,
  })
  await memory.settled()
  await until(async () => (await memory.vault.lookUp(received.hash)).state === "drained")
})

test("what a dead owner wrote last is not written over, and told when the network brings it again", async () => {
  const { memory, bridgeId, lease } = await aMemory()
  const late = aReceived({ text: "late" })
  const { writes } = new Journal(memory.store, lease.epoch - 1, () => {}).add(late)
  // The dead owner's transaction becomes visible only now.
  await memory.commits.write(writes)
  await memory.vault.keep({ received: aReceived({ text: "new" }) })
  expect(await memory.vault.lookUp(late.hash)).toMatchObject({ state: "journalled" })
  await memory.settled()
  expect(bodies(await eventsOf(bridgeId))).toEqual(["new", "late"])
  expect(await rowsOf(bridgeId, "JOURNAL#")).toEqual([])
  expect(await memory.vault.lookUp(late.hash)).toEqual({ state: "drained" })
})

test("a read that the store refuses ends the session, and sets no message aside", async () => {
  const { memory, bridgeId, happened } = await aMemory()
  onTestFinished(dynamoDb.faults.add({ fault: "denied", operation: "GetItem" }))
  await memory.vault.keep({ received: aReceived({ text: "kept" }) })
  await memory.settled()
  expect(happened).not.toContain("drained")
  dynamoDb.faults.clear()
  expect(await rowsOf(bridgeId, "PARKED#")).toEqual([])
  expect(await rowsOf(bridgeId, "JOURNAL#")).toHaveLength(1)
})

test("a plaintext larger than an item is journalled in pieces and read again by the next owner", async () => {
  const first = await aMemory()
  // Media of its own, too large for an event of ours and yet a message: it must come back whole.
  const large = aReceived({ plaintext: Buffer.concat([randomBytes(800_000), Buffer.of(1)]) })
  const journal = new Journal(first.memory.store, 1, () => {})
  await first.memory.commits.write(journal.add(large).writes)
  expect(await rowsOf(first.bridgeId, "JOURNAL#")).toHaveLength(3)
  const found: Uint8Array[] = []
  const again = new Journal(first.memory.store, 2, (entry) => found.push(entry.received.plaintext))
  await again.readOld()
  expect(Buffer.compare(found[0]!, large.plaintext)).toBe(0)
})

test("what was journalled and not drained becomes events before the next owner connects", async () => {
  const network = await aNetwork()
  const { bridge, host } = await aPairedSession(network)
  await host.stop()
  const left = ["left 1", "left 2"].map((text) => aReceived({ text }))
  await journalOnly(await aMemory({ bridgeId: bridge.id }), ...left)

  const atDialling: Promise<Event[]>[] = []
  const next = await aHost(network, {
    connect: (input) => {
      atDialling.push(eventsOf(bridge.id))
      return connect({ ...input, url: network.url })
    },
  })
  await held(bridge.id, next)
  await until(async () => atDialling.length > 0)
  expect(bodies(await atDialling[0]!).slice(-2)).toEqual(["left 1", "left 2"])
  expect(await eventsOfType(bridge.id, "message", 2)).toHaveLength(2)
})

test("numbers go on without gaps over owners, also after what was delivered has expired", async () => {
  const first = await aMemory()
  await first.memory.vault.keep({ received: aReceived({ text: "1" }) })
  await first.letGo()
  const second = await aMemory({ bridgeId: first.bridgeId })
  await second.memory.vault.keep({ received: aReceived({ text: "2" }) })
  await second.letGo()
  expect(bodies(await eventsOf(first.bridgeId))).toEqual(["1", "2"])

  let claim = (await Delivery.claim(first.bridgeId, "test")) as Delivery.Info // nobody else looks
  for (let n = 0; n < 2; n++) claim = (await Delivery.advance(claim, "delivered"))!
  await removeEvents(first.bridgeId, 2)
  const third = await aMemory({ bridgeId: first.bridgeId })
  const asked = transactions()
  await third.memory.vault.keep({ received: aReceived({ text: "3" }) })
  await third.memory.settled()
  expect(asked.flatMap(({ rows }) => rows)).toContain("EVENT#000000000003")
})

test("an event whose owner died before it rang rings when the next one starts", async () => {
  const { memory, bridgeId, lease, crash } = await aMemory()
  const event = { event: "connected", phone: "491" } as const
  const { delivery } = (await DataKeys.get(bridgeId))!
  await memory.commits.write(
    EventRow.append({ bridgeId, n: 1, eventId: "evt_1", event, deliveryKey: delivery }),
  )
  crash()
  await Lease.letGo(lease)
  expect(await Delivery.get(bridgeId)).toBeUndefined()
  await aMemory({ bridgeId })
  await until(async () => (await Delivery.get(bridgeId))?.due)
})

async function removeEvents(bridgeId: string, upTo: number) {
  for (let n = 1; n <= upTo; n++)
    await store.send(new DeleteCommand({ TableName: events, Key: EventRow.key(bridgeId, n) }))
}
