import { createCipheriv, createHash, randomBytes } from "node:crypto"
import { proto, writeRandomPadMax16 } from "@whiskeysockets/baileys"
import { expect, onTestFinished, test, vi } from "vitest"
import { Event as EventSchema, type Event } from "#contract/event.ts"
import { Claim } from "#core/event/claim.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventRow } from "#core/event/event-row.ts"
import { DataKeys } from "#core/keys/data-keys.ts"
import { Lease } from "#core/lease/lease.ts"
import { removeRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { messagePage } from "#session-host/commands/message-page.ts"
import type { Received } from "#session-host/network/connection.ts"
import { encodeBare } from "#session-host/network/decode.ts"
import { el } from "#session-host/network/stanza.ts"
import { aHeldLease } from "#test/support/held-lease.ts"
import { transactions } from "#test/support/recorded-writes.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { aDoorbell, forgetDoorbells } from "#test/support/session/events-and-doorbells.ts"
import { eventsOf } from "#test/support/session/host.ts"
import { aMemory } from "#test/support/session/memory.ts"
import { aReceivedMessage } from "#test/support/session/received-message.ts"
import { sealed } from "#test/support/session/sealed.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

const bodies = (events: Event[]) =>
  events.map((event) => (event.event === "message" ? event.body : event.event))

const parkedOf = (bridgeId: string) => rowsOf(tables.sessions, bridgeId, "PARKED#")

const padded = (content: proto.IMessage) => writeRandomPadMax16(proto.Message.encode(content).finish())
const aContent = (id: string, content: proto.IMessage) => aReceivedMessage({ id, plaintext: padded(content) })

/** Receives a message as the network does: it is looked up first, then kept with its ratchet. */
async function take({ memory }: Awaited<ReturnType<typeof aMemory>>, ...messages: Received[]) {
  const { intake } = memory
  for (const { attrs } of messages) intake.foresee(attrs)
  for (const received of messages) if (!(await intake.isSeen(received))) await intake.receive(received, [])
}

test("a burst of messages becomes event rows in their order, in a few transactions", async () => {
  const one = await aMemory()
  const asked = transactions()
  const texts = Array.from({ length: 50 }, (_, i) => `message ${i}`)
  await take(one, ...texts.map((text) => aReceivedMessage({ text })))
  await one.memory.settled()
  expect(bodies(await eventsOf(one.bridgeId))).toEqual(texts)
  // 50 messages are two rows each.
  expect(asked.length).toBeLessThan(15)
})

test("a message, its event and its ratchet are one transaction", async () => {
  const { memory } = await aMemory()
  const asked = transactions()
  const received = aReceivedMessage()
  await memory.intake.receive(received, [{ type: "session", id: "491.0", value: "ratchet" }])
  await memory.commits.whenKept()
  expect(asked.map(({ rows }) => rows.map((sk) => sk.split("#")[0]))).toEqual([
    // Its writer is new.
    ["LEASE", "CONTACT", "EVENT", "MESSAGE", "SIGNAL"],
  ])
})

test("an answer to a message is read with it, though neither is durable yet", async () => {
  const one = await aMemory()
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
  const forgery = aReceivedMessage({
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
  const said = aReceivedMessage({ id: "SAID", text: "said", attrs: { from: "120@g.us", participant: bob } })
  const away = dynamoDb.faults.add({ fault: "throttling", operation: "TransactWriteItems" })
  await take(one, poll, vote, said, forgery)
  away()
  await one.memory.settled()
  expect((await eventsOf(one.bridgeId)).slice(1)).toMatchObject([
    { event: "poll_vote", poll_id: "POLL", selected_options: ["Salad"] },
    { event: "message", body: "said" },
  ])
})

const inGroupFrom = (person: string) => ({ from: "120@g.us", participant: person })

test("whoever copies a poll, with its id and its secret, can change the copy and not the poll", async () => {
  const one = await aMemory()
  const [bob, eve] = ["491710000001@s.whatsapp.net", "491710000008@s.whatsapp.net"]
  const secret = randomBytes(32)
  const poll = (person: string, ...names: string[]) =>
    aReceivedMessage({
      id: "POLL",
      attrs: inGroupFrom(person),
      plaintext: padded({
        pollCreationMessageV3: { name: "?", options: names.map((optionName) => ({ optionName })) },
        messageContextInfo: { messageSecret: secret },
      }),
    })
  const by = (person: string) => ({ original: "POLL", secret, creator: person, responder: person })
  const option = encodeBare({ pollAddOptionMessage: { addOption: { optionName: "Pie" } } })
  const added = encodeBare({
    secretEncryptedMessage: {
      targetMessageKey: { id: "POLL" },
      secretEncType: 5,
      ...sealed("Poll Add Option", option, { ...by(eve), bound: false }),
    },
  })
  const selectedOptions = [createHash("sha256").update("Salad").digest()]
  const vote = sealed(
    "Poll Vote",
    proto.Message.PollVoteMessage.encode({ selectedOptions }).finish(),
    by(bob),
  )
  await take(
    one,
    poll(bob, "Soup", "Salad"),
    poll(eve, "Tea", "Coffee"),
    aReceivedMessage({ id: "ADDED", attrs: inGroupFrom(eve), plaintext: writeRandomPadMax16(added) }),
    aReceivedMessage({
      attrs: inGroupFrom(bob),
      plaintext: padded({ pollUpdateMessage: { pollCreationMessageKey: { id: "POLL" }, vote } }),
    }),
  )
  await one.memory.settled()
  expect(await eventsOf(one.bridgeId)).toMatchObject([
    { options: ["Soup", "Salad"] },
    { options: ["Tea", "Coffee"] },
    { edit: "edit", options: ["Tea", "Coffee", "Pie"] },
    { event: "poll_vote", selected_options: ["Salad"] },
  ])
})

test("many large messages take several transactions, none of which parts a message from its event", async () => {
  const one = await aMemory()
  const asked = transactions()
  const texts = Array.from({ length: 14 }, (_, i) => `${i} `.padEnd(300_000, "x"))
  await take(one, ...texts.map((text) => aReceivedMessage({ text })))
  await one.memory.settled()
  expect(bodies(await eventsOf(one.bridgeId))).toEqual(texts)
  const counts = asked.map(({ rows }) => ({
    events: rows.filter((row) => row.startsWith("EVENT#")).length,
    messages: rows.filter((row) => row.startsWith("MESSAGE#")).length,
  }))
  expect(counts.length).toBeGreaterThan(1)
  for (const { events, messages } of counts) expect(messages).toBe(events)
})

const lid = "200000000000001@lid"
const phone = "491710000001@s.whatsapp.net"
const group = "120@g.us"

test.for<[string, Record<string, string>, Record<string, string>]>([
  [
    "from another device",
    { from: lid, sender_pn: phone },
    { from: "200000000000001:7@lid", sender_pn: phone },
  ],
  ["under the phone number", { from: lid, sender_pn: phone }, { from: phone, sender_lid: lid }],
  ["first under the phone number alone", { from: phone }, { from: lid, sender_pn: phone }],
  [
    "in a group, under the phone number",
    { from: group, participant: lid, participant_pn: phone },
    { from: group, participant: phone, participant_lid: lid },
  ],
])("the same message in another ciphertext is told once: %s", async ([, first, again]) => {
  const one = await aMemory()
  await take(one, aReceivedMessage({ id: "SAME", text: "first", attrs: first }))
  await take(one, aReceivedMessage({ id: "SAME", text: "again", attrs: again }))
  await one.memory.settled()
  await take(one, aReceivedMessage({ id: "SAME", text: "once more", attrs: again }))
  await one.memory.settled()
  expect(bodies(await eventsOf(one.bridgeId))).toEqual(["first"])
})

test("which addresses are one person's is known from what the network told before", async () => {
  const one = await aMemory()
  const pair = [
    { type: "lid-mapping", id: "491710000001", value: '"200000000000001"' },
    { type: "lid-mapping", id: "200000000000001_reverse", value: '"491710000001"' },
  ]
  await one.memory.vault.change({ keys: pair })
  await take(one, aReceivedMessage({ id: "SAME", text: "first", attrs: { from: lid } }))
  await take(one, aReceivedMessage({ id: "SAME", text: "again", attrs: { from: phone } }))
  await one.memory.settled()
  expect(bodies(await eventsOf(one.bridgeId))).toEqual(["first"])
})

test("our phone's copy of a message and its sender's own retry are one event", async () => {
  const own = { jid: "491719999999@s.whatsapp.net", lid: "299999999999999@lid" }
  const creds = JSON.stringify({ account: {}, me: { id: own.jid, lid: own.lid } })
  const copy = proto.WebMessageInfo.encode({
    key: { id: "SAME", remoteJid: phone, fromMe: false },
    message: { conversation: "by the phone" },
    messageTimestamp: 1_800_000_000,
  }).finish()
  const peer = aReceivedMessage({
    attrs: { from: own.jid, category: "peer" },
    plaintext: padded({
      protocolMessage: {
        peerDataOperationRequestResponseMessage: {
          peerDataOperationResult: [{ placeholderMessageResendResponse: { webMessageInfoBytes: copy } }],
        },
      },
    }),
  })
  const one = await aMemory()
  await one.memory.vault.change({ creds })
  await take(
    one,
    peer,
    aReceivedMessage({ id: "SAME", text: "again", attrs: { from: lid, sender_pn: phone } }),
  )
  await one.memory.settled()
  expect(bodies(await eventsOf(one.bridgeId))).toEqual(["by the phone"])
})

test("two people may choose one id", async () => {
  const one = await aMemory()
  const other = { from: "491710000002@s.whatsapp.net" }
  await take(
    one,
    aReceivedMessage({ id: "SAME", text: "one" }),
    aReceivedMessage({ id: "SAME", text: "other", attrs: other }),
  )
  await one.memory.settled()
  expect(bodies(await eventsOf(one.bridgeId))).toEqual(["one", "other"])
})

/** An `imageMessage` that is a text, which no protobuf has. */
const noImage = Buffer.from([0x1a, 11, ...Buffer.from("hello there"), 1])

test("a message that cannot be read is an event with what is found in it, and parked; those behind go on", async () => {
  const one = await aMemory()
  await take(
    one,
    aReceivedMessage({ text: "before" }),
    aReceivedMessage({ plaintext: Buffer.from([0xff, 0xff, 1]), attrs: { notify: "Eve" } }),
    aReceivedMessage({ plaintext: Buffer.from([0x0a, 2, 0x68, 0x69, 200]) }),
    aReceivedMessage({ plaintext: noImage }),
    aReceivedMessage({ text: "after" }),
  )
  await one.memory.settled()
  expect(await eventsOf(one.bridgeId)).toMatchObject([
    { body: "before" },
    { type: "unknown", unknown_kind: "unreadable", body: "", name: "Eve" },
    // Its padding is longer than all of it.
    { type: "unknown", body: "hi" },
    { type: "unknown", unknown_kind: "imageMessage", body: "hello there" },
    { body: "after" },
  ])
  for (const event of await eventsOf(one.bridgeId)) expect(event).toEqual(expect.schemaMatching(EventSchema))
  expect(await parkedOf(one.bridgeId)).toHaveLength(3)
})

const photo = `PHOTO:${"A".repeat(20_000)}`
const card = { displayName: "Ada", vcard: `BEGIN:VCARD\nFN:Ada\nTEL:+491\n${photo}\nEND:VCARD` }
const params = (json: string) => ({
  interactiveResponseMessage: { nativeFlowResponseMessage: { name: "flow", paramsJson: json } },
})

test.for<[string, proto.IMessage, Record<string, unknown>]>([
  ["a text", { conversation: "x".repeat(1_000_000) }, { type: "text", body: "x".repeat(65_536), cut: true }],
  [
    "thirty cards with photos",
    { contactsArrayMessage: { contacts: Array.from({ length: 30 }, () => card) } },
    {
      type: "contact",
      contacts: Array.from({ length: 30 }, () => ({ name: "Ada", phones: ["+491"] })),
      cut: true,
    },
  ],
  [
    "a card",
    { contactMessage: { ...card, vcard: card.vcard + photo.repeat(20) } },
    { contacts: [{ name: "Ada", phones: ["+491"] }], cut: true },
  ],
  [
    "a form of a hundred thousand fields",
    params(JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [n, n])))),
    { tapped: { id: "flow" }, cut: true },
  ],
  ["a form with a name of a megabyte", params(`{"${"x".repeat(1_000_000)}":1}`), { type: "unknown" }],
  [
    "a form that is nested without end",
    params(`{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`),
    { tapped: { id: "flow" } },
  ],
])("a message that is too large for an event has one of what fits: %s", async ([, content, expected]) => {
  const one = await aMemory({ choice: { keep: 7 } })
  await take(one, aContent("LARGE", content), aReceivedMessage({ text: "after" }))
  await one.memory.settled()
  const events = await eventsOf(one.bridgeId)
  expect(events).toMatchObject([{ message_id: "LARGE", ...expected }, { body: "after" }])
  expect(events[0]).toEqual(expect.schemaMatching(EventSchema))
})

const garbage = "\u0001".repeat(20)
const rows = Array.from({ length: 64 }, () => ({ title: garbage, description: garbage, rowId: garbage }))

test("whatever is cut to make an event fit, its ids and its addresses stay whole", async () => {
  const one = await aMemory()
  const [id, from, bob] = ["3EB0".padEnd(32, "A"), "120363025246125244@g.us", "491710000001@s.whatsapp.net"]
  const sections = Array.from({ length: 64 }, () => ({ title: garbage, rows }))
  const list = padded({ listMessage: { title: "Menu", buttonText: "Open", sections } })
  await take(one, aReceivedMessage({ id, attrs: { from, participant: bob }, plaintext: list }))
  await one.memory.settled()
  const [event] = await eventsOf(one.bridgeId)
  expect(event).toMatchObject({ message_id: id, chat_id: from, contact_id: bob, body: "Menu", cut: true })
  expect(event).toEqual(expect.schemaMatching(EventSchema))
})

const longPoll = (id: string, length: number) => {
  const options = [...Array.from({ length: 6 }, () => 60_000), length].map((n) => ({
    optionName: "x".repeat(n),
  }))
  return aContent(id, { pollCreationMessageV3: { name: "?", options } })
}

test("the chat's other name is counted when an event is cut to fit", async () => {
  const one = await aMemory()
  await one.memory.vault.change({
    keys: [{ type: "lid-mapping", id: "491710000001", value: JSON.stringify("77") }],
  })
  await take(one, longPoll("SMALL", 0))
  await one.memory.settled()
  const [small] = await eventsOf(one.bridgeId)
  const room = EventRow.largest - Buffer.byteLength(JSON.stringify(small))
  await take(one, longPoll("EXACT", room), longPoll("LARGE", room + 1))
  await one.memory.settled()
  const [, exact, large] = await eventsOf(one.bridgeId)
  expect(exact).toMatchObject({ type: "poll", chat_lid: "77@lid" })
  expect(exact).not.toHaveProperty("cut")
  expect(large).toMatchObject({ type: "poll", chat_lid: "77@lid", cut: true })
})

/** Answers to answers, this deep. */
const answers = (depth: number): proto.IMessage => ({
  extendedTextMessage: {
    text: `level ${depth}`,
    contextInfo: { stanzaId: "Q", ...(depth > 0 && { quotedMessage: answers(depth - 1) }) },
  },
})

test.for([34, 2000])(
  "what is said is read, however many quotes are within each other (%i)",
  async (depth) => {
    const one = await aMemory()
    await take(one, aContent("DEEP", answers(depth)))
    await one.memory.settled()
    expect(await eventsOf(one.bridgeId)).toMatchObject([
      { type: "text", body: `level ${depth}`, quoted: { message_id: "Q" } },
    ])
  },
)

const unreadable = (attrs: Record<string, string> = {}) =>
  aReceivedMessage({ attrs, plaintext: Buffer.from([0xff, 0xff, 1]) })

test("parked messages are read again by each new version of the code, once, after the session connects", async () => {
  const first = await aMemory()
  const { bridgeId } = first
  await take(first, unreadable())
  await first.letGo()

  for (const [version, times] of [
    ["no better", 1],
    ["no better", 0],
    ["another", 1],
  ] as const) {
    const next = await aMemory({ bridgeId, version })
    const tried = vi.spyOn(next.memory.intake, "tryAgain")
    await next.memory.readParkedAgain()
    await next.memory.readParkedAgain()
    await next.letGo()
    expect(tried).toHaveBeenCalledTimes(times)
    expect(await parkedOf(bridgeId)).toHaveLength(1)
  }
  expect(await eventsOf(bridgeId)).toMatchObject([{ unknown_kind: "unreadable" }])
})

test("a message that earlier code has parked becomes an event, in however many pieces it is", async () => {
  const one = await aMemory()
  const { store, commits } = one.memory
  const extendedTextMessage = { text: "at last", jpegThumbnail: randomBytes(500_000) }
  const { hash, attrs, plaintext } = aContent("LARGE", { extendedTextMessage })
  const packed = Buffer.concat([Buffer.from(`${JSON.stringify({ hash, attrs })}\n`), plaintext])
  await commits.write([
    store.put(`PARKED#${hash}`, packed.subarray(0, 350_000)),
    store.put(`PARKED#${hash}#1`, packed.subarray(350_000)),
  ])
  await one.letGo()
  const next = await aMemory({ bridgeId: one.bridgeId })
  await next.memory.readParkedAgain()
  await next.letGo()
  expect(bodies(await eventsOf(one.bridgeId))).toEqual(["at last"])
  expect(await parkedOf(one.bridgeId)).toEqual([])
})

test("a message of an unknown kind is an event at once, and an edit of it when a later release can read it", async () => {
  const one = await aMemory()
  const { store, commits, messages } = one.memory
  // Field 177: "Cats".
  const plaintext = Buffer.from([0x8a, 0x0b, 6, 0x0a, 4, ...Buffer.from("Cats"), 1])
  const received = aReceivedMessage({ id: "NEW", plaintext })
  await take(one, received, aReceivedMessage({ text: "after" }))
  await one.memory.settled()
  expect(await eventsOf(one.bridgeId)).toMatchObject([
    { type: "unknown", unknown_kind: "field 177", body: "Cats", message_id: "NEW" },
    { body: "after" },
  ])
  expect(await messages.all("NEW")).toMatchObject([{ unknown: { kind: "field 177", body: "Cats" } }])
  // As if a later release could read what was parked.
  const [parked] = await store.list("PARKED#")
  const head = JSON.stringify({ hash: received.hash, attrs: received.attrs })
  const readable = aReceivedMessage({ text: "at last" }).plaintext
  await commits.write([store.put(parked!.sk, Buffer.concat([Buffer.from(`${head}\n`), readable]))])
  await one.letGo()

  for (const version of ["later", "later still"]) {
    const next = await aMemory({ bridgeId: one.bridgeId, version })
    await next.memory.readParkedAgain()
    await next.letGo()
  }
  expect((await eventsOf(one.bridgeId)).slice(2)).toMatchObject([
    { type: "text", body: "at last", edit: "edit", target_id: "NEW", message_id: "NEW" },
  ])
  expect(await parkedOf(one.bridgeId)).toEqual([])
  const last = await aMemory({ bridgeId: one.bridgeId })
  const [known] = await last.memory.messages.all("NEW")
  expect(known).toMatchObject({ content: { conversation: "at last" } })
  expect(known!.unknown).toBeUndefined()
})

const edit = (editedMessage: proto.IMessage) =>
  padded({
    protocolMessage: {
      key: { id: "SAID" },
      type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
      editedMessage,
    },
  })

test("what a later release finds to be no more than was told is no edit", async () => {
  const one = await aMemory()
  const { store, commits } = one.memory
  const text = encodeBare({ conversation: "hello" })
  // Field 177: "an aside".
  const beside = Buffer.from([0x8a, 0x0b, 8, ...Buffer.from("an aside")])
  const plaintext = Buffer.concat([text, beside, Buffer.of(1)])
  await take(one, aReceivedMessage({ id: "BESIDE", plaintext }))
  await one.memory.settled()
  const told = { type: "text", body: "hello", unknown_kind: "field 177" }
  expect(await eventsOf(one.bridgeId)).toMatchObject([told])
  // As if a later release knew that people do not see the aside.
  const [parked] = await store.list("PARKED#")
  const { sk, secret } = parked!
  const head = secret.subarray(0, secret.indexOf("\n") + 1)
  await commits.write([store.put(sk, Buffer.concat([head, text, Buffer.of(1)]))])
  await one.letGo()
  const next = await aMemory({ bridgeId: one.bridgeId, version: "later" })
  await next.memory.readParkedAgain()
  await next.letGo()
  expect(await eventsOf(one.bridgeId)).toHaveLength(1)
  expect(await parkedOf(one.bridgeId)).toEqual([])
})

test("an edit that only a later release can read is an edit of its message, not of itself", async () => {
  const one = await aMemory()
  const { store, commits } = one.memory
  const received = aReceivedMessage({ id: "EDIT", plaintext: edit({ stickerPackMessage: { name: "Cats" } }) })
  await take(one, received)
  await one.memory.settled()
  // As if a later release could read what was parked.
  const [parked] = await store.list("PARKED#")
  const head = Buffer.from(`${JSON.stringify({ hash: received.hash, attrs: received.attrs })}\n`)
  await commits.write([store.put(parked!.sk, Buffer.concat([head, edit({ conversation: "read" })]))])
  await one.letGo()
  const next = await aMemory({ bridgeId: one.bridgeId, version: "later" })
  await next.memory.readParkedAgain()
  await next.letGo()
  const told = { edit: "edit", target_id: "SAID", message_id: "EDIT" }
  expect(await eventsOf(one.bridgeId)).toMatchObject([
    { ...told, type: "unknown", body: "Cats" },
    { ...told, type: "text", body: "read" },
  ])
})

test("a sender's parked messages are a hundred at most, over all sessions; all are known when they return", async () => {
  const one = await aMemory()
  const sent = (count: number, device: number) =>
    Array.from({ length: count }, () => unreadable({ from: `200000000000001:${device}@lid` }))
  const [early, late] = [sent(80, 1), sent(80, 2)]
  await take(one, ...early)
  await one.letGo()
  const next = await aMemory({ bridgeId: one.bridgeId })
  await take(next, ...late, unreadable({ from: "200000000000002@lid" }))
  await next.memory.settled()
  expect(await parkedOf(one.bridgeId)).toHaveLength(101)
  for (const received of [early[0]!, late.at(-1)!])
    expect(await next.memory.intake.isSeen(received)).toBe(true)
  expect(next.happened).not.toContain("ended: SessionEnded")
})

/** A scheduled message as all get it but its author, and its key. */
function scheduled(id: string, { keyId = id, key = randomBytes(32), at = 0 } = {}) {
  const encIv = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", key, encIv)
  const words = proto.Message.encode({ conversation: `words of ${id}` }).finish()
  const encPayload = Buffer.concat([cipher.update(words), cipher.final(), cipher.getAuthTag()])
  const bytes = encodeBare({ conditionalRevealMessage: { encPayload, encIv, revealKeyId: keyId } })
  const received = aReceivedMessage({ id, plaintext: writeRandomPadMax16(bytes) })
  const meta = [el("meta", { type: "scheduled_message", st: String(at) })]
  return { message: { ...received, meta }, keyId, key }
}

test("one key opens all messages that wait for it, and those that come after it", async () => {
  const one = await aMemory()
  const { keyId, key, message } = scheduled("S1")
  const [second, third] = ["S2", "S3"].map((id) => scheduled(id, { keyId, key }).message)
  await take(one, message, second!)
  await one.memory.intake.recordRevealKey(keyId, key)
  await take(one, third!)
  await one.memory.settled()
  expect(bodies((await eventsOf(one.bridgeId)).slice(2))).toEqual([
    "words of S1",
    "words of S2",
    "words of S3",
  ])
  expect(await parkedOf(one.bridgeId)).toEqual([])
})

test("a message that can be read later is one line among kept messages, with what it says now", async () => {
  const one = await aMemory({ choice: { keep: 7 } })
  const { keyId, key, message } = scheduled("S")
  await take(one, message)
  const listed = async () => (await messagePage(one.memory, { chat: message.attrs.from!, limit: 5 })).messages
  expect(await listed()).toMatchObject([{ message_id: "S", type: "unknown" }])
  await one.memory.intake.recordRevealKey(keyId, key)
  expect(await listed()).toMatchObject([{ message_id: "S", type: "text", body: "words of S" }])
})

test.for([
  ["in fifty days", 50, 80],
  ["in a thousand years, as a stranger may say", 365_000, 396],
] as const)("a message that is scheduled for a time waits for its key: %s", async ([, days, expected]) => {
  const one = await aMemory()
  const now = Date.now() / 1000
  await take(one, scheduled("S", { at: Math.floor(now + days * 86_400) }).message)
  await one.memory.settled()
  for (const prefix of ["PARKED#", "REVEAL#"]) {
    const [row] = await one.memory.store.list(prefix)
    expect(Math.round((Number(row!.row.expires_at) - now) / 86_400)).toBe(expected)
  }
})

test("one sender may schedule any number of messages, since those that are revealed count no more", async () => {
  const one = await aMemory()
  for (let n = 0; n < 102; n++) {
    const { message, keyId, key } = scheduled(`S${n}`)
    await take(one, message)
    await one.memory.intake.recordRevealKey(keyId, key)
  }
  await one.memory.settled()
  expect((await eventsOf(one.bridgeId)).at(-1)).toMatchObject({ edit: "edit", body: "words of S101" })
  expect(await parkedOf(one.bridgeId)).toEqual([])
})

test("a key that does not fit hinders none that fits: a scheduled message waits on for its own", async () => {
  const one = await aMemory()
  const { message, keyId, key } = scheduled("S")
  await one.memory.intake.recordRevealKey(keyId, randomBytes(32))
  await take(one, message)
  await one.memory.intake.recordRevealKey(keyId, randomBytes(32))
  await one.memory.intake.recordRevealKey(keyId, key)
  await one.memory.settled()
  expect(await eventsOf(one.bridgeId)).toMatchObject([
    { type: "unknown" },
    { edit: "edit", target_id: "S", body: "words of S" },
  ])
  expect(await parkedOf(one.bridgeId)).toEqual([])
})

test.for(["1e999", "1e20", "-5", "x", ""])(
  "a message that cannot be read is parked, and not for ever, whatever time it says it is of (%s)",
  async (t) => {
    const one = await aMemory()
    await take(one, unreadable({ t }), aReceivedMessage({ text: "after" }))
    await one.memory.settled()
    expect(bodies(await eventsOf(one.bridgeId))).toEqual(["", "after"])
    const [row] = await one.memory.store.list("PARKED#")
    const inDays = (Number(row!.row.expires_at) - Date.now() / 1000) / 86_400
    expect(inDays).toBeGreaterThan(29)
    expect(inDays).toBeLessThan(31)
  },
)

test("a message that is too large to be kept aside is told all the same, and known when it comes again", async () => {
  const one = await aMemory()
  const giant = aReceivedMessage({ plaintext: Buffer.concat([Buffer.alloc(5_000_000, 0xff), Buffer.of(1)]) })
  await take(one, giant, aReceivedMessage({ text: "after" }))
  await one.memory.settled()
  expect(await eventsOf(one.bridgeId)).toMatchObject([{ unknown_kind: "unreadable" }, { body: "after" }])
  expect(await parkedOf(one.bridgeId)).toEqual([])
  expect(await one.memory.intake.isSeen(giant)).toBe(true)
})

test("a ciphertext is known from when it was taken in, also to the next owner", async () => {
  const first = await aMemory()
  const received = aReceivedMessage()
  expect(await first.memory.intake.isSeen(received)).toBe(false)
  await take(first, received)
  expect(await first.memory.intake.isSeen(received)).toBe(true)
  await first.letGo()
  const next = await aMemory({ bridgeId: first.bridgeId })
  expect(await next.memory.intake.isSeen(received)).toBe(true)
  expect(await next.memory.intake.isSeen({ ...received, hash: aReceivedMessage().hash })).toBe(false)
})

test("a message that was not durable when its owner died counts as never received", async () => {
  const first = await aMemory()
  const received = aReceivedMessage({ text: "comes again" })
  const away = dynamoDb.faults.add({ fault: "throttling", operation: "TransactWriteItems" })
  await take(first, received)
  first.crash()
  away()
  await Lease.release(first.lease)
  const next = await aMemory({ bridgeId: first.bridgeId })
  expect(await eventsOf(next.bridgeId)).toEqual([])
  await take(next, received)
  await next.memory.settled()
  expect(bodies(await eventsOf(next.bridgeId))).toEqual(["comes again"])
})

test("an event that an earlier owner wrote unseen is not written over: the session ends and reads anew", async () => {
  const { memory, bridgeId, happened } = await aMemory()
  const event = { event: "connected", phone: "491" } as const
  const { delivery } = (await DataKeys.get(bridgeId))!
  // The dead owner's transaction becomes visible only now.
  const late = EventRow.appending({ bridgeId, n: 1, identity: ["late"], event, deliveryKey: delivery })
  await memory.commits.write([{ Put: { TableName: tables.events, Item: late.Put!.Item } }])
  await memory.intake.receive(aReceivedMessage({ text: "comes again" }), [])
  await memory.settled()
  expect(happened).toEqual(["ended: SessionEnded"])
  expect(await eventsOf(bridgeId)).toEqual([event])
})

test("a read that the store denies is repeated until it answers, and parks no message", async () => {
  const one = await aMemory()
  onTestFinished(dynamoDb.faults.add({ fault: "denied", operation: "BatchGetItem", times: 3 }))
  await take(one, aReceivedMessage({ text: "kept" }))
  await one.memory.settled()
  expect(bodies(await eventsOf(one.bridgeId))).toEqual(["kept"])
  expect(await parkedOf(one.bridgeId)).toEqual([])
})

test("numbers go on without gaps over owners, also after what was delivered has expired", async () => {
  const first = await aMemory()
  await take(first, aReceivedMessage({ text: "1" }))
  await first.letGo()
  const second = await aMemory({ bridgeId: first.bridgeId })
  await take(second, aReceivedMessage({ text: "2" }))
  await second.letGo()
  expect(bodies(await eventsOf(first.bridgeId))).toEqual(["1", "2"])

  let claim = (await Claim.acquire(Delivery.first(first.bridgeId), "test")) as Delivery.Info // no other
  // deliverer looks
  for (let n = 0; n < 2; n++) claim = (await Claim.advance(claim))!
  for (const n of [1, 2]) await removeRow({ TableName: tables.events, Key: EventRow.key(first.bridgeId, n) })
  const third = await aMemory({ bridgeId: first.bridgeId })
  const asked = transactions()
  await take(third, aReceivedMessage({ text: "3" }))
  await third.memory.settled()
  expect(asked.flatMap(({ rows }) => rows)).toContain("EVENT#000000000003")
})

test("a message whose event is gone though it was never delivered ends its session: it would be lost", async () => {
  const first = await aMemory()
  const { bridgeId } = first
  const message = aReceivedMessage()
  await take(first, message)
  await first.letGo()
  await removeRow({ TableName: tables.events, Key: EventRow.key(bridgeId, 1) })
  const second = await aMemory({ bridgeId })
  const another = await aMemory()
  const again = { ...message, hash: aReceivedMessage().hash }
  await expect(take(second, again)).rejects.toThrow("the event of each message was made")
  expect(second.happened).toEqual(["ended: RuleBroken"])
  await take(another, aReceivedMessage({ text: "another's" }))
  await another.memory.settled()
  expect(bodies(await eventsOf(another.bridgeId))).toEqual(["another's"])
  expect(another.happened).toEqual([])
})

test("an event whose owner died before it rang rings when the next one starts, whatever was promised", async () => {
  const one = await aMemory()
  const { memory, bridgeId, lease, crash } = one
  await take(one, aReceivedMessage())
  await memory.settled()
  const { due } = (await Delivery.get(Delivery.first(bridgeId)))!
  crash()
  await Lease.release(lease)
  await forgetDoorbells()
  await aMemory({ bridgeId })
  await until(async () => (await aDoorbell())?.Body?.includes(bridgeId))
  expect((await Delivery.get(Delivery.first(bridgeId)))!.due).toBeGreaterThanOrEqual(due)
})

test("an id leads to its event, and no other id does", async () => {
  const one = await aMemory()
  await take(one, aReceivedMessage(), aReceivedMessage())
  await one.memory.settled()
  const row = (await EventRow.get(one.bridgeId, 2))!
  expect(row.eventId).toMatch(/^evt_[a-z2-7]{40}$/)
  expect(EventRow.numberOf(row.eventId)).toBe(2)
  expect(EventRow.numberOf("evt_aaaaaaba")).toBeUndefined()
})

const key = (value: string) => [{ type: "session", id: "491.0", value }]

test("a message that comes again while it is being taken in is one event, and its ratchet does not go back", async () => {
  const { memory, bridgeId } = await aMemory()
  const { vault, intake } = memory
  const received = aReceivedMessage({ text: "once" })
  const again = { ...received, attrs: { ...received.attrs } }
  // A connection that ended, and the next one: both have looked before either made anything.
  for (const each of [received, again]) expect(await intake.isSeen(each)).toBe(false)
  const first = intake.receive(received, key("1"))
  const second = first
    .then(() => vault.change({ keys: key("2") }))
    .then(() => intake.receive(again, key("1")))
  await vault.settled()
  await second
  await memory.settled()
  expect(bodies(await eventsOf(bridgeId))).toEqual(["once"])
  expect(await vault.keys("session", ["491.0"])).toEqual(new Map([["491.0", "2"]]))
})

test("however many ciphertexts come under one id, the row of the message stays small", async () => {
  const one = await aMemory()
  const all = Array.from({ length: 200 }, () => aReceivedMessage({ id: "SAME", text: "again" }))
  await take(one, ...all)
  await one.memory.settled()
  expect(await eventsOf(one.bridgeId)).toHaveLength(1)
  const [row] = await one.memory.store.list("MESSAGE#")
  expect(row!.secret.length).toBeLessThan(4000)
  expect(await one.memory.intake.isSeen(all.at(-1)!)).toBe(true)
})

test("a suspect has each message durable before the next: what ends it comes first at the next session", async () => {
  const first = await aHeldLease()
  const { bridgeId } = first
  await Lease.release(first, { failed: true, proven: false })
  for (let i = 0; i < 2; i++) await Lease.release(await aHeldLease(bridgeId), { failed: true, proven: false })
  const one = await aMemory({ bridgeId })
  const asked = transactions()
  await take(one, ...["1", "2", "3"].map((text) => aReceivedMessage({ text })))
  expect(asked).toHaveLength(3)
  expect(bodies(await eventsOf(bridgeId))).toEqual(["1", "2", "3"])
})
