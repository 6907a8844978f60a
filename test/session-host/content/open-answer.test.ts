import { createCipheriv, createHash, randomBytes } from "node:crypto"
import { proto } from "@whiskeysockets/baileys"
import { writeRandomPadMax16 } from "@whiskeysockets/baileys"
import { pino } from "pino"
import "#test/support/store.ts"
import { expect, test } from "vitest"
import { Event } from "#contract/event.ts"
import { mapReceived } from "#session-host/content/map-received.ts"
import type { Remembered } from "#session-host/content/remembered.ts"
import type { GroupRights, MessageContent } from "#session-host/network/connection.ts"
import { encodeBare } from "#session-host/network/decode.ts"
import { el, type Stanza } from "#session-host/network/stanza.ts"
import type { Say } from "#session-host/say-in-log.ts"
import { aReceivedMessage } from "#test/support/session/received-message.ts"
import { sealed as sealedUnder } from "#test/support/session/sealed.ts"

const own = { jid: "491719999999@s.whatsapp.net", lid: "99@lid" }
const bob = { jid: "491710000001@s.whatsapp.net", lid: "77@lid" }
const secret = randomBytes(32)
const log = pino({ level: "silent" })

type Names = "jid" | "lid"

/** Sealed under the names by which both are known. */
const sealed = (
  use: string,
  plaintext: Uint8Array,
  names: { creator: string; responder: string; bound?: boolean },
) => sealedUnder(use, plaintext, { original: "ORIG", secret, ...names })

const original = (content: MessageContent, fromMe = true): Remembered => ({
  id: "ORIG",
  chat: bob.lid,
  sender: fromMe ? "" : bob.lid,
  fromMe,
  time: 1_800_000_000,
  content: { ...content, messageContextInfo: { messageSecret: secret } },
})

const poll = {
  pollCreationMessageV3: { name: "?", options: [{ optionName: "Soup" }, { optionName: "Salad" }] },
}
const key = { id: "ORIG" }

/** The lines of the customer's log. */
const lines: string[] = []
const say: Say = (_level, text, more = {}) => void lines.push(`${text}${more.detail ?? ""}`)

async function map(
  content: MessageContent,
  attrs: Record<string, string>,
  originals: Remembered[],
  rights?: GroupRights,
) {
  const plaintext = writeRandomPadMax16(proto.Message.encode(content).finish())
  const received = aReceivedMessage({ id: "ANSWER", attrs, plaintext })
  const mapped = await mapReceived(received, own, {
    connection: { phonesOf: async () => new Map(), rightsIn: async () => rights },
    originals: async (id) => originals.filter((one) => one.id === id),
    say,
    log,
  })
  for (const { event } of mapped) expect(event).toEqual(expect.schemaMatching(Event))
  return mapped.map(({ event }) => event)
}

const combinations: [Names, Names][] = [
  ["jid", "jid"],
  ["jid", "lid"],
  ["lid", "jid"],
  ["lid", "lid"],
]
const fromBob: [string, Record<string, string>][] = [
  ["a chat by LID", { from: bob.lid, sender_pn: bob.jid }],
  ["a chat by phone number", { from: bob.jid, sender_lid: bob.lid }],
  ["a group", { from: "120@g.us", participant: `77:3@lid`, participant_pn: bob.jid }],
]

test.for(
  combinations.flatMap(([creator, responder]) => fromBob.map((at) => [creator, responder, at] as const)),
)(
  "a vote and an answer are opened: creator by %s, responder by %s, in %j",
  async ([creator, responder, [, attrs]]) => {
    const names = { creator: own[creator], responder: bob[responder] }
    const selectedOptions = [createHash("sha256").update("Salad").digest()]
    const vote = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish()
    const [voted] = await map(
      { pollUpdateMessage: { pollCreationMessageKey: key, vote: sealed("Poll Vote", vote, names) } },
      attrs,
      [original(poll)],
    )
    expect(voted).toMatchObject({
      event: "poll_vote",
      poll_id: "ORIG",
      message_id: "ANSWER",
      contact_id: bob.jid,
      phone: "491710000001",
      selected_options: ["Salad"],
    })
    const response = proto.Message.EventResponseMessage.encode({
      response: proto.Message.EventResponseMessage.EventResponseType.MAYBE,
      timestampMs: 1_800_000_000_123,
      extraGuestCount: 4,
    }).finish()
    const [answered] = await map(
      {
        encEventResponseMessage: {
          eventCreationMessageKey: key,
          ...sealed("Event Response", response, names),
        },
      },
      attrs,
      [original({ eventMessage: { name: "Party" } })],
    )
    expect(answered).toMatchObject({
      event: "event_response",
      event_id: "ORIG",
      response: "maybe",
      response_time_ms: 1_800_000_000_123,
      extra_guest_count: 4,
    })
  },
)

test("our own vote, given on the phone, on another's poll", async () => {
  const vote = proto.Message.PollVoteMessage.encode({ selectedOptions: [] }).finish()
  const names = { creator: bob.jid, responder: own.lid }
  const [voted] = await map(
    {
      deviceSentMessage: {
        destinationJid: bob.lid,
        message: {
          pollUpdateMessage: { pollCreationMessageKey: key, vote: sealed("Poll Vote", vote, names) },
        },
      },
    },
    { from: own.lid, recipient: bob.lid, peer_recipient_pn: bob.jid },
    [original(poll, false)],
  )
  expect(voted).toMatchObject({ from_me: true, chat_id: bob.jid, contact_id: own.jid, selected_options: [] })
})

test("an answer to a forgotten message: `unknown`; a vote on it says nothing that could be told", async () => {
  const names = { creator: own.jid, responder: bob.jid }
  const response = {
    encEventResponseMessage: {
      eventCreationMessageKey: key,
      ...sealed("Event Response", Buffer.alloc(2), names),
    },
  }
  const attrs = { from: bob.jid, t: "1800000000" }
  expect(await map(response, attrs, [])).toMatchObject([
    { response: "unknown", response_time_ms: 1_800_000_000_000, extra_guest_count: 0 },
  ])
  const vote = {
    pollUpdateMessage: { pollCreationMessageKey: key, vote: sealed("Poll Vote", Buffer.alloc(2), names) },
  }
  expect(await map(vote, attrs, [])).toEqual([])
})

const noKey = { encPayload: Buffer.alloc(40, 1), encIv: Buffer.alloc(12, 1) }

test.for<[string, MessageContent]>([
  ["pollUpdateMessage", { pollUpdateMessage: { pollCreationMessageKey: key, vote: noKey } }],
  ["encReactionMessage", { encReactionMessage: { targetMessageKey: key, ...noKey } }],
  [
    "secretEncryptedMessage",
    { secretEncryptedMessage: { targetMessageKey: key, secretEncType: 2, ...noKey } },
  ],
  [
    "secretEncryptedMessage",
    { secretEncryptedMessage: { targetMessageKey: key, secretEncType: 99, ...noKey } },
  ],
  ["secretEncryptedMessage", { secretEncryptedMessage: { targetMessageKey: key, secretEncType: 2 } }],
])("what is about a known message and does not open is unknown: %s", async ([unknown_kind, content]) => {
  const attrs = { from: bob.jid }
  expect(await map(content, attrs, [original(poll)])).toMatchObject([
    { event: "message", type: "unknown", unknown_kind, target_id: "ORIG", message_id: "ANSWER" },
  ])
  expect(await map(content, attrs, [])).toEqual([])
})

test("what opens and is no message is unknown as well", async () => {
  const garbage = sealed("Message Edit", Buffer.from([0xff, 0xff]), { creator: own.jid, responder: bob.jid })
  const content = { secretEncryptedMessage: { targetMessageKey: key, secretEncType: 2, ...garbage } }
  expect(await map(content, { from: bob.jid }, [original(poll)])).toMatchObject([
    { type: "unknown", target_id: "ORIG" },
  ])
})

test("a vote or a sealed edit about a message that is not known is a line in the customer's log", async () => {
  const sealedPart = sealed("Poll Vote", Buffer.of(), { creator: own.jid, responder: bob.jid })
  for (const content of [
    { pollUpdateMessage: { pollCreationMessageKey: key, vote: sealedPart } },
    { secretEncryptedMessage: { targetMessageKey: key, secretEncType: 2, ...sealedPart } },
  ]) {
    lines.length = 0
    expect(await map(content, { from: bob.jid }, [])).toEqual([])
    expect(lines).toEqual([expect.stringContaining("does not know the message that it is about")])
  }
})

test("an edit or a revocation of another's message that is known in another chat is no event", async () => {
  const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type
  const elsewhere = {
    ...original(poll, false),
    chat: "4917100@s.whatsapp.net",
    sender: "4917100@s.whatsapp.net",
  }
  for (const change of [{ type: REVOKE }, { type: MESSAGE_EDIT, editedMessage: { conversation: "x" } }]) {
    const content = { protocolMessage: { key, ...change } }
    expect(await map(content, { from: bob.jid }, [elsewhere])).toEqual([])
    expect(await map(content, { from: bob.jid }, [])).toHaveLength(1)
    // Perhaps the same chat under another address.
    expect(await map(content, { from: "78@lid" }, [elsewhere])).toHaveLength(1)
  }
})

test("a stranger's message of the same id does not hide the poll", async () => {
  const vote = proto.Message.PollVoteMessage.encode({ selectedOptions: [] }).finish()
  const names = { creator: own.jid, responder: bob.jid }
  const stranger = {
    ...original(poll, false),
    content: { messageContextInfo: { messageSecret: randomBytes(32) } },
  }
  expect(
    await map(
      { pollUpdateMessage: { pollCreationMessageKey: key, vote: sealed("Poll Vote", vote, names) } },
      { from: bob.jid },
      [stranger, original(poll)],
    ),
  ).toMatchObject([{ event: "poll_vote" }])
})

test("a sealed reaction and sealed edits are told as what they are", async () => {
  const names = { creator: own.jid, responder: bob.lid, bound: false }
  const attrs = { from: "120@g.us", participant: bob.lid, participant_pn: bob.jid }
  const reaction = proto.Message.ReactionMessage.encode({ text: "👍" }).finish()
  expect(
    await map(
      { encReactionMessage: { targetMessageKey: key, ...sealed("Enc Reaction", reaction, names) } },
      attrs,
      [original({ conversation: "x" })],
    ),
  ).toMatchObject([{ type: "reaction", reaction: { emoji: "👍", message_id: "ORIG", contact_id: own.jid } }])

  const edit = proto.Message.encode({ eventMessage: { name: "Party, later", startTime: 5 } }).finish()
  const theirs = { creator: bob.lid, responder: bob.lid, bound: false }
  expect(
    await map(
      {
        secretEncryptedMessage: {
          targetMessageKey: key,
          secretEncType: proto.Message.SecretEncryptedMessage.SecretEncType.EVENT_EDIT,
          ...sealed("Event Edit", edit, theirs),
        },
      },
      attrs,
      [original({ eventMessage: { name: "Party" } }, false)],
    ),
  ).toMatchObject([
    { type: "event", edit: "edit", target_id: "ORIG", event_details: { name: "Party, later" } },
  ])
})

test.for([
  { type: proto.Message.ProtocolMessage.Type.REVOKE },
  { type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT, editedMessage: { conversation: "forged" } },
])("a sealed edit changes the message whose secret opens it alone, whatever it names: %j", async (change) => {
  const attrs = { from: bob.jid, sender_lid: bob.lid }
  const plaintext = encodeBare({ protocolMessage: { key: { id: "OURS" }, ...change } })
  const names = { creator: bob.lid, responder: bob.lid, bound: false }
  const content = {
    secretEncryptedMessage: {
      targetMessageKey: key,
      secretEncType: 2,
      ...sealed("Message Edit", plaintext, names),
    },
  }
  const ours = { ...original({ conversation: "ours" }), id: "OURS" }
  const events = await map(content, attrs, [ours, original({ conversation: "his" }, false)])
  expect(events.filter((event) => "target_id" in event && event.target_id !== "ORIG")).toEqual([])
  expect(events).toHaveLength(change.editedMessage ? 1 : 0)
})

const allowing = { pollCreationMessageV3: { ...poll.pollCreationMessageV3, allowAddOption: true } }
const hers = { creator: own.lid, responder: bob.lid, bound: false }

/** Changes of a poll, sealed as WhatsApp Web seals them: 3 is an edit, 4 another option. */
const pollChange = (secretEncType: 4 | 5, plaintext: Uint8Array, names = hers) => ({
  secretEncryptedMessage: {
    targetMessageKey: key,
    secretEncType,
    ...sealed(secretEncType === 4 ? "Poll Edit" : "Poll Add Option", plaintext, names),
  },
})
const adding = (optionName: string, names = hers) =>
  pollChange(
    5,
    encodeBare({ pollAddOptionMessage: { pollCreationMessageKey: key, addOption: { optionName } } }),
    names,
  )
const inBobsChat = { from: bob.lid, sender_pn: bob.jid, t: "1800000000" }

test("an option that somebody adds to a poll is an edit of the poll, with all its options", async () => {
  expect(await map(adding("Pie"), inBobsChat, [original(allowing)])).toMatchObject([
    { type: "poll", edit: "edit", target_id: "ORIG", body: "?", options: ["Soup", "Salad", "Pie"] },
  ])
  const bobs = { creator: bob.lid, responder: bob.lid, bound: false }
  expect(await map(adding("Pie", bobs), inBobsChat, [original(poll, false)])).toHaveLength(1)
})

test("WhatsApp shows no option that may not be added, is there already, or comes after the end", async () => {
  expect(await map(adding("Pie"), inBobsChat, [original(poll)])).toEqual([])
  expect(await map(adding("Soup"), inBobsChat, [original(allowing)])).toEqual([])
  expect(await map(adding(""), inBobsChat, [original(allowing)])).toEqual([])
  const over = { ...allowing.pollCreationMessageV3, endTime: 1_799_999_999_000 }
  expect(await map(adding("Pie"), inBobsChat, [original({ pollCreationMessageV3: over })])).toEqual([])
})

const pollOfLength = (length: number) => {
  const options = Array.from({ length: 12 }, (_, n) => ({ optionName: `${n}`.padEnd(length, "ü") }))
  return original({ pollCreationMessageV3: { name: "?", options, allowAddOption: true } })
}

test("a poll that is larger than clients make them does not change: each change is told with all of it", async () => {
  expect(await map(adding("Pie"), inBobsChat, [pollOfLength(100)])).toHaveLength(1)
  expect(await map(adding("Pie"), inBobsChat, [pollOfLength(1000)])).toEqual([])
  expect(await map(adding("x".repeat(20_000)), inBobsChat, [pollOfLength(100)])).toEqual([])
})

test("another question of a poll, by its author alone, is an edit of it; its options stay", async () => {
  const asked = {
    protocolMessage: { key, type: 14, editedMessage: { pollCreationMessageV3: { name: "Tea?" } } },
  }
  const edit = (names = hers) => pollChange(4, encodeBare(asked), names)
  const bobs = { creator: bob.lid, responder: bob.lid, bound: false }
  expect(await map(edit(bobs), inBobsChat, [original(poll, false)])).toMatchObject([
    { type: "poll", edit: "edit", target_id: "ORIG", body: "Tea?", options: ["Soup", "Salad"] },
  ])
  expect(await map(edit(), inBobsChat, [original(allowing)])).toEqual([])
})

/** A message that our phone sends again. */
function web(message: proto.IWebMessageInfo): MessageContent {
  const webMessageInfoBytes = proto.WebMessageInfo.encode(message).finish()
  return {
    protocolMessage: {
      type: proto.Message.ProtocolMessage.Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
      peerDataOperationRequestResponseMessage: {
        peerDataOperationResult: [{ placeholderMessageResendResponse: { webMessageInfoBytes } }],
      },
    },
  }
}

test("a message that our phone sends for a placeholder becomes the event that its stanza would have been", async () => {
  const late = web({
    key: { id: "LATE", remoteJid: bob.jid, fromMe: false },
    message: { conversation: "an answer to an advertisement" },
    messageTimestamp: 1_800_000_000,
    pushName: "Bob",
    verifiedBizName: "Bob's",
  })
  const peer = { from: own.jid, category: "peer" }
  const [event] = await map(late, peer, [])
  expect(event).toMatchObject({
    message_id: "LATE",
    contact_id: bob.jid,
    body: "an answer to an advertisement",
    timestamp: 1_800_000_000,
    verified_business: true,
  })
  const inGroup = web({
    key: { id: "G", remoteJid: "120@g.us", fromMe: false, participant: bob.jid },
    message: { conversation: "x" },
    messageTimestamp: 1,
  })
  expect(await map(inGroup, peer, [])).toMatchObject([{ is_group: true, contact_id: bob.jid }])
  const ours = web({ key: { id: "O", remoteJid: bob.jid, fromMe: true }, message: { conversation: "x" } })
  expect(await map(ours, peer, [])).toMatchObject([{ from_me: true, chat_id: bob.jid }])
  // Only a peer message of the account's own phone is believed: any other sender could put words into a
  // contact's mouth.
  expect(await map(late, { from: bob.jid, category: "peer" }, [])).toEqual([])
  expect(await map(late, { from: own.jid }, [])).toEqual([])
})

test("a scheduled message is opened with the key in its stanza; without it, it is of an unknown kind", async () => {
  const key = randomBytes(32)
  const iv = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", key, iv)
  const inner = proto.Message.encode({ conversation: "see you at eight" }).finish()
  const encPayload = Buffer.concat([cipher.update(inner), cipher.final(), cipher.getAuthTag()])
  const bytes = encodeBare({ conditionalRevealMessage: { encPayload, encIv: iv, revealKeyId: "K1" } })
  const received = aReceivedMessage({ plaintext: writeRandomPadMax16(bytes) })
  const meta = (rkid: string, secretKey = key) => [
    el("meta", { type: "scheduled_message", st: "1900000000" }, [el("key", { rkid }, secretKey)]),
  ]
  const lookups = { connection: undefined, originals: async () => [], say, log }
  const eventOf = async (given: Stanza[] | undefined) =>
    (await mapReceived({ ...received, ...(given && { meta: given }) }, own, lookups))[0]!.event
  expect(await eventOf(meta("K1"))).toMatchObject({ body: "see you at eight", scheduled_for: 1_900_000_000 })
  for (const given of [undefined, meta("K2"), meta("K1", randomBytes(32)), meta("K1", randomBytes(3))])
    expect(await eventOf(given)).toMatchObject({ type: "unknown", unknown_kind: "conditionalRevealMessage" })
})

test("only its author changes or takes back a message; in a group an admin may take it back", async () => {
  const edit = {
    protocolMessage: {
      key,
      type: proto.Message.ProtocolMessage.Type.MESSAGE_EDIT,
      editedMessage: { conversation: "x" },
    },
  }
  const revoke = { protocolMessage: { key, type: proto.Message.ProtocolMessage.Type.REVOKE } }
  const ours = original({ conversation: "ours" })
  const his = { ...original({ conversation: "his" }, false), chat: "120@g.us" }
  const inChat = { from: bob.jid, sender_lid: bob.lid }
  const byBob = { from: "120@g.us", participant: bob.lid, participant_pn: bob.jid }
  const byEve = { from: "120@g.us", participant: "88@lid", participant_pn: "491710000008@s.whatsapp.net" }

  expect(await map(edit, inChat, [ours])).toEqual([])
  expect(await map(revoke, inChat, [ours])).toEqual([])
  expect(await map(edit, byEve, [his])).toEqual([])
  expect(await map(edit, byBob, [his])).toMatchObject([{ edit: "edit", target_id: "ORIG" }])
  // Whether Eve is an admin is not known, then that she is one or is none.
  expect(await map(revoke, byEve, [his])).toMatchObject([{ edit: "revoke" }])
  const asAdmin = { isAdmin: true, isLocked: true }
  expect(await map(revoke, byEve, [his], asAdmin)).toMatchObject([{ edit: "revoke" }])
  const locked = { isAdmin: false, isLocked: true }
  expect(await map(revoke, byEve, [his], locked)).toEqual([])
  expect(await map(revoke, byBob, [his], locked)).toHaveLength(1)
  const pin = { pinInChatMessage: { key, type: proto.Message.PinInChatMessage.Type.PIN_FOR_ALL } }
  expect(await map(pin, byEve, [his], asAdmin)).toMatchObject([{ edit: "pin" }])
  expect(await map(pin, byEve, [his], locked)).toEqual([])
  // Of a message that has not come yet, the revocation says whose it is: Eve's own, or Bob's.
  const ofBob = { protocolMessage: { ...revoke.protocolMessage, key: { ...key, participant: bob.lid } } }
  expect(await map(revoke, byEve, [], locked)).toHaveLength(1)
  expect(await map(ofBob, byEve, [], locked)).toEqual([])
  expect(await map(ofBob, byEve, [], asAdmin)).toHaveLength(1)
  // Nor may she name him when only a message of hers is known.
  const hers = { ...his, sender: "88@lid" }
  expect(await map(ofBob, byEve, [hers], locked)).toEqual([])
  // Nothing is known of a message that is not remembered.
  expect(await map(edit, byEve, [ours])).toEqual([])
  expect(await map(edit, inChat, [])).toHaveLength(1)
  expect(await map(edit, inChat, [{ ...original({}, false), chat: bob.lid }])).toHaveLength(1)
})
