import { proto, writeRandomPadMax16 } from "@whiskeysockets/baileys"
import { expect, test } from "vitest"
import { Lease } from "#core/lease/lease.ts"
import { messagePage } from "#session-host/commands/message-page.ts"
import type { Received } from "#session-host/network/connection.ts"
import { eventsOf } from "#test/support/session/host.ts"
import { aMemory } from "#test/support/session/memory.ts"
import { aReceivedMessage } from "#test/support/session/received-message.ts"
import "#test/support/store.ts"

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type
const [bob, cy, eve, ada] = ["491710000001", "491710000002", "491710000008", "491719999999"].map(
  (digits) => `${digits}@s.whatsapp.net`,
)
/** Those of Ada's account, which is linked. */
const creds = JSON.stringify({ account: {}, me: { id: ada, lid: "299999999999999@lid" } })
const time = 1_800_000_000
const minutes = 60

type Memory = Awaited<ReturnType<typeof aMemory>>

/** A message of Bob's, or of another member of a group. */
const aMessage = (
  content: proto.IMessage,
  { by, ...attrs }: Record<string, string | number | undefined> = {},
) =>
  aReceivedMessage({
    ...(attrs.id !== undefined && { id: String(attrs.id) }),
    attrs: {
      t: String(attrs.t ?? time),
      ...(attrs.recipient !== undefined && { from: String(attrs.from), recipient: String(attrs.recipient) }),
      ...(attrs.participant !== undefined && {
        from: String(attrs.from),
        participant: String(attrs.participant),
      }),
      ...(by !== undefined && { from: "120@g.us", participant: String(by) }),
    },
    plaintext: writeRandomPadMax16(proto.Message.encode(content).finish()),
  })

const said = (text: string, attrs = {}) => aMessage({ conversation: text }, { id: "SAID", ...attrs })
/** An edit that was made so many seconds after the message. */
const edited = (editedMessage: proto.IMessage | string, after = 1, attrs = {}) =>
  aMessage(
    {
      protocolMessage: {
        key: { id: "SAID", fromMe: true },
        type: MESSAGE_EDIT,
        editedMessage: typeof editedMessage === "string" ? { conversation: editedMessage } : editedMessage,
        timestampMs: (time + after) * 1000,
      },
    },
    { t: time + after, ...attrs },
  )
const revoked = (attrs = {}, key: proto.IMessageKey = { fromMe: true }) =>
  aMessage({ protocolMessage: { key: { id: "SAID", ...key }, type: REVOKE } }, attrs)

/** Receives messages one after the other, as the network hands them over. */
async function take({ memory }: Memory, ...messages: Received[]) {
  for (const received of messages) {
    memory.intake.foresee(received.attrs)
    if (!(await memory.intake.isSeen(received))) await memory.intake.receive(received, [])
  }
}

/** What is remembered of the message, and as what its next owner remembers it. */
async function nowAt(one: Memory) {
  await one.letGo()
  const next = await aMemory({ bridgeId: one.bridgeId })
  const known = await next.memory.messages.recall("SAID")
  return known.map(({ content, edit }) => [content.conversation ?? content.imageMessage?.caption, edit])
}

/** The bodies of the events of the message and its changes, once its session has ended. */
const told = async (one: Memory) =>
  (await eventsOf(one.bridgeId)).map((event) => event.event === "message" && [event.body, event.edit])

test("an edit is what its message says from now on, and a revocation leaves nothing of it", async () => {
  const one = await aMemory()
  await take(one, said("first"), edited("second"))
  expect(await one.memory.messages.all("SAID")).toMatchObject([
    { content: { conversation: "second" }, edit: "edit" },
  ])
  await take(one, revoked({ t: time + 2 }))
  expect(await nowAt(one)).toEqual([[undefined, "revoke"]])
  // Events are history.
  expect(await told(one)).toEqual([
    ["first", undefined],
    ["second", "edit"],
    ["", "revoke"],
  ])
})

test("a revocation that comes before its message leaves nothing of the message, nor in its event", async () => {
  const one = await aMemory()
  await take(one, revoked(), said("never to be read"))
  expect(await nowAt(one)).toEqual([[undefined, "revoke"]])
  expect(await eventsOf(one.bridgeId)).toMatchObject([
    { edit: "revoke", target_id: "SAID", body: "" },
    { edit: "revoke", target_id: "SAID", message_id: "SAID", body: "", type: "text" },
  ])
})

test("also one under the author's other address, and with a restart and a crash in between", async () => {
  const one = await aMemory()
  const pair = [
    { type: "lid-mapping", id: "491710000001", value: JSON.stringify("77") },
    { type: "lid-mapping", id: "77_reverse", value: JSON.stringify("491710000001") },
  ]
  await one.memory.vault.change({ keys: pair })
  await take(one, revoked({ by: "77@lid" }, { fromMe: true }))
  await one.memory.settled()
  one.crash()
  await Lease.release(one.lease)
  const next = await aMemory({ bridgeId: one.bridgeId })
  await take(next, said("never to be read", { by: bob }))
  expect(await nowAt(next)).toEqual([[undefined, "revoke"]])
})

test("an edit that comes before its message counts, and of several the latest by its author's clock", async () => {
  const one = await aMemory()
  await take(one, edited("second", 1), said("first"))
  await take(one, edited("fourth", 9), edited("third", 5))
  expect(await nowAt(one)).toEqual([["fourth", "edit"]])
})

test("a revoked message is not edited any more, whichever came first, and may be revoked twice", async () => {
  const one = await aMemory()
  await take(one, said("first"), revoked({ t: time + 1 }), edited("second", 9), revoked({ t: time + 2 }))
  expect(await nowAt(one)).toEqual([[undefined, "revoke"]])
  expect(await told(one)).toEqual([
    ["first", undefined],
    ["", "revoke"],
    ["", "revoke"],
  ])
})

test("an edit that is made after 20 minutes is none, as in WhatsApp Web; before that it is one", async () => {
  const one = await aMemory()
  await take(one, said("first"), edited("in time", 20 * minutes - 1), edited("too late", 20 * minutes))
  expect(await nowAt(one)).toEqual([["in time", "edit"]])
  expect(await told(one)).toEqual([
    ["first", undefined],
    ["in time", "edit"],
  ])
  const other = await aMemory()
  await take(other, edited("too late", 20 * minutes), said("first"))
  expect(await nowAt(other)).toEqual([["first", undefined]])
  // Polls may change later, but nothing becomes one.
  const text = await aMemory()
  const poll = { pollCreationMessage: { name: "too late", options: [{ optionName: "a" }] } }
  await take(text, said("first"), edited(poll, 20 * minutes))
  expect(await nowAt(text)).toEqual([["first", undefined]])
  expect(await told(text)).toEqual([["first", undefined]])
})

test("a file keeps its bytes when its caption is edited, and may lose its caption", async () => {
  const one = await aMemory()
  const file = {
    url: "https://mmg.whatsapp.net/a",
    directPath: "/a",
    mediaKey: Buffer.alloc(32, 7),
    mimetype: "image/jpeg",
  }
  await take(one, aMessage({ imageMessage: { ...file, caption: "cta" } }, { id: "SAID" }))
  await take(one, edited({ imageMessage: { caption: "cat", directPath: "/other" } }))
  const [known] = await one.memory.messages.all("SAID")
  expect(known).toMatchObject({ content: { imageMessage: { caption: "cat", directPath: "/a" } } })
  await take(one, edited({ imageMessage: {} }, 2))
  expect(await nowAt(one)).toEqual([["", "edit"]])
})

test("a member revokes nothing of another's, known or not yet; an admin names whose message it is", async () => {
  const one = await aMemory()
  // Two members chose one id.
  await take(one, said("of Bob", { by: bob }), said("of Cy", { by: cy }))
  await take(one, revoked({ by: cy }, { fromMe: false, participant: cy! }))
  const known = await one.memory.messages.recall("SAID")
  expect(known.map(({ sender, edit }) => [sender, edit])).toEqual([
    [bob, undefined],
    [cy, "revoke"],
  ])
  await take(one, edited("not Eve's", 1, { by: eve }))
  expect(await nowAt(one)).toEqual([
    ["of Bob", undefined],
    [undefined, "revoke"],
  ])
})

test("the admin of a group revokes nothing that this account wrote in another chat", async () => {
  const one = await aMemory()
  await one.memory.vault.change({ creds })
  await take(one, said("to Eve", { from: ada, recipient: eve }))
  // Eve knows its id, and has made a group with this account.
  await take(one, revoked({ by: eve }, { fromMe: false, participant: ada! }))
  expect(await nowAt(one)).toEqual([["to Eve", undefined]])
  expect(await told(one)).toEqual([["to Eve", undefined]])
})

test("what was sent to a list of people is changed in the chat with its author, as phones show it", async () => {
  for (const by of [{ from: "120@broadcast", participant: bob }, {}]) {
    const one = await aMemory({ choice: { keep: 7 } })
    await take(one, said("to many", { from: "120@broadcast", participant: bob }), revoked(by))
    const { messages } = await messagePage(one.memory, { chat: bob!, limit: 5 })
    expect(messages.map(({ body, edit }) => [body, edit])).toEqual([["", "revoke"]])
    expect(await nowAt(one)).toEqual([[undefined, "revoke"]])
  }
})

test("a revocation that the phone sends again together with a message is no line of its own", async () => {
  const one = await aMemory({ choice: { keep: 7 } })
  await one.memory.vault.change({ creds })
  const again = (id: string, message: proto.IMessage) => ({
    placeholderMessageResendResponse: {
      webMessageInfoBytes: proto.WebMessageInfo.encode({
        key: { id, remoteJid: bob, fromMe: false },
        message,
        messageTimestamp: time,
      }).finish(),
    },
  })
  const peerDataOperationResult = [
    again("NEXT", { conversation: "next" }),
    again("R", { protocolMessage: { key: { id: "SAID", fromMe: true }, type: REVOKE } }),
  ]
  const peer = aReceivedMessage({
    attrs: { from: ada!, category: "peer" },
    plaintext: writeRandomPadMax16(
      proto.Message.encode({
        protocolMessage: { peerDataOperationRequestResponseMessage: { peerDataOperationResult } },
      }).finish(),
    ),
  })
  await take(one, said("first"), peer)
  const { messages } = await messagePage(one.memory, { chat: bob!, limit: 5 })
  expect(messages.map(({ message_id, body, edit }) => [message_id, body, edit])).toEqual([
    ["NEXT", "next", undefined],
    ["SAID", "", "revoke"],
  ])
})

test("what is revoked without an event is revoked all the same, if it is remembered", async () => {
  const one = await aMemory()
  await take(one, said("first"))
  await one.letGo()
  const next = await aMemory({ bridgeId: one.bridgeId, choice: { events: ["connected"] } })
  await take(next, revoked())
  expect(await nowAt(next)).toEqual([[undefined, "revoke"]])
  expect(await told(one)).toEqual([["first", undefined]])
})

test("nothing is told of a revoked message of an unknown kind when a later release can read it", async () => {
  const one = await aMemory()
  // Field 177: "Cats".
  const plaintext = Buffer.from([0x8a, 0x0b, 6, 0x0a, 4, ...Buffer.from("Cats"), 1])
  const received = aReceivedMessage({ id: "SAID", attrs: { t: String(time) }, plaintext })
  await take(one, received, revoked())
  const { store, commits } = one.memory
  const [parked] = await store.list("PARKED#")
  const head = Buffer.from(`${JSON.stringify({ hash: received.hash, attrs: received.attrs })}\n`)
  await commits.write([store.put(parked!.sk, Buffer.concat([head, aReceivedMessage().plaintext]))])
  await one.letGo()
  const next = await aMemory({ bridgeId: one.bridgeId, version: "later" })
  await next.memory.readParkedAgain()
  expect(await nowAt(next)).toEqual([[undefined, "revoke"]])
  expect(await told(one)).toEqual([
    ["Cats", undefined],
    ["", "revoke"],
  ])
})

test("of changes that are under way at once the last counts, and a refused one leaves its forerunner", async () => {
  const one = await aMemory()
  await take(one, said("first"), edited("second"))
  const { messages, commits } = one.memory
  const [of] = await messages.all("SAID")
  const edit = (text: string, madeMs: number) =>
    messages.changing({ what: "edit", of: of!, madeMs, time, content: { conversation: text } })
  const [early, late, revoke] = await Promise.all([
    edit("early", (time + 5) * 1000),
    edit("late", (time + 6) * 1000),
    messages.changing({ what: "revoke", of: of!, madeMs: time * 1000, time, content: {} }),
  ])
  const now = async () =>
    (await messages.all("SAID")).map(({ content, edit: how }) => [content.conversation, how])
  commits.note([...late.writes(), ...early.writes(), ...late.writes()])
  expect(await now()).toEqual([["late", "edit"]])
  commits.note(early.withdrawal())
  expect(await now()).toEqual([["late", "edit"]])
  commits.note(late.withdrawal())
  expect(await now()).toEqual([["second", "edit"]])
  const again = await edit("again", (time + 7) * 1000)
  commits.note([...revoke.writes(), ...again.writes()])
  expect(await now()).toEqual([[undefined, "revoke"]])
  commits.note(revoke.withdrawal())
  expect(await now()).toEqual([["second", "edit"]])
})
