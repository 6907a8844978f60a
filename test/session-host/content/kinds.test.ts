import { proto } from "@whiskeysockets/baileys"
import { expect, test } from "vitest"
import { Event } from "#contract/event.ts"
import { phonesIn } from "#session-host/content/chat-and-sender.ts"
import { Unreadable } from "#session-host/content/mapped.ts"
import { fromMessage } from "#session-host/content/message.ts"
import type { MessageContent } from "#session-host/network/connection.ts"

const { EPHEMERAL_SETTING, MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type
const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type

const own = { jid: "491719999999@s.whatsapp.net", lid: "99@lid" }
const bob = "491710000001@s.whatsapp.net"
const eve = "491710000002@s.whatsapp.net"
const group = { from: "120@g.us", participant: "77@lid", participant_pn: bob }

function map(attrs: Record<string, string>, content: MessageContent, verified = false) {
  const all = { id: "ABC", from: bob, t: "1800000000", notify: "Bob", ...attrs }
  return fromMessage({ attrs: all, content, own, phones: phonesIn(all, own), verified })
}

const text = { conversation: "hello" }
const image = { caption: "see", mimetype: "image/jpeg" }
const poll = {
  name: "Lunch?",
  options: [{ optionName: "a" }, { optionName: "b" }],
  selectableOptionsCount: 1,
}
const context = {
  stanzaId: "Q",
  participant: eve,
  quotedMessage: { pollCreationMessageV3: poll },
  mentionedJid: ["99@lid"],
  isForwarded: true,
}
const referring = {
  quoted: { message_id: "Q", contact_id: eve, body: "Lunch?", type: "poll" },
  mentions: [own.jid],
  forwarded: true,
}

const media = (media_type: string, caption?: string) => ({
  type: "media",
  media_type,
  body: caption ?? "",
  ...(caption && { caption }),
})

test.for<[string, MessageContent, Record<string, unknown>]>([
  ["an image", { imageMessage: image }, media("image", "see")],
  ["a video", { videoMessage: { caption: "look" } }, media("video", "look")],
  ["a round video", { ptvMessage: {} }, media("video")],
  ["music", { audioMessage: { ptt: false } }, media("audio")],
  ["a voice note", { audioMessage: { ptt: true } }, media("voice")],
  ["a document", { documentMessage: { fileName: "a.pdf" } }, media("document")],
  [
    "a document with a caption",
    { documentWithCaptionMessage: { message: { documentMessage: { caption: "plan" } } } },
    media("document", "plan"),
  ],
  ["a sticker", { stickerMessage: {} }, media("sticker")],
  ["a moving sticker", { lottieStickerMessage: { message: { stickerMessage: {} } } }, media("sticker")],
  ["an image to be seen once", { viewOnceMessageV2: { message: { imageMessage: {} } } }, media("image")],
  ["an image of an album", { associatedChildMessage: { message: { imageMessage: {} } } }, media("image")],
  ["a poll", { pollCreationMessage: { ...poll, selectableOptionsCount: 0 } }, { max_answers: 0 }],
  [
    "a poll of one answer",
    { pollCreationMessageV3: poll },
    { type: "poll", body: "Lunch?", options: ["a", "b"], max_answers: 1 },
  ],
  ["a poll of an announcement group", { pollCreationMessageV2: poll }, { options: ["a", "b"] }],
  [
    "a poll in a wrapper",
    { pollCreationMessageV4: { message: { pollCreationMessageV3: poll } } },
    { type: "poll" },
  ],
  [
    "a place",
    { locationMessage: { degreesLatitude: 52.5, degreesLongitude: 13.4, name: "Berlin", address: "Mitte" } },
    {
      type: "location",
      body: "Berlin",
      location: { lat: 52.5, lng: 13.4, name: "Berlin", address: "Mitte" },
    },
  ],
  [
    "a place that moves",
    { liveLocationMessage: { degreesLatitude: 1, degreesLongitude: 2, caption: "on my way" } },
    { type: "location", body: "on my way", location: { lat: 1, lng: 2, name: "on my way", address: "" } },
  ],
  [
    "an event message",
    {
      eventMessage: {
        name: "Party",
        description: "at home",
        startTime: 10,
        endTime: 20,
        joinLink: "https://x",
      },
    },
    {
      type: "event",
      body: "Party",
      event_details: {
        name: "Party",
        description: "at home",
        start_time: 10,
        end_time: 20,
        join_link: "https://x",
      },
    },
  ],
  [
    "an event message without an end",
    { eventMessage: { name: "Party", startTime: 10 } },
    { event_details: { name: "Party", description: "", start_time: 10, end_time: 0, join_link: "" } },
  ],
  [
    "a reaction to a message of ours",
    { reactionMessage: { key: { id: "T", fromMe: false }, text: "👍" } },
    {
      type: "reaction",
      body: "👍",
      target_id: "T",
      reaction: { emoji: "👍", message_id: "T", contact_id: own.jid },
    },
  ],
  [
    "a reaction to a message of their own",
    { reactionMessage: { key: { id: "T", fromMe: true }, text: "👍" } },
    { reaction: { emoji: "👍", message_id: "T", contact_id: bob } },
  ],
  [
    "a reaction that is taken back",
    { reactionMessage: { key: { id: "T", fromMe: false }, text: "" } },
    { type: "reaction", reaction: { emoji: "", message_id: "T", contact_id: own.jid } },
  ],
  [
    "an edit",
    {
      editedMessage: {
        message: { protocolMessage: { key: { id: "T" }, type: MESSAGE_EDIT, editedMessage: text } },
      },
    },
    { type: "text", body: "hello", edit: "edit", target_id: "T" },
  ],
  [
    "an edit without its wrapper, of a caption",
    { protocolMessage: { key: { id: "T" }, type: MESSAGE_EDIT, editedMessage: { imageMessage: image } } },
    { ...media("image", "see"), edit: "edit", target_id: "T" },
  ],
  [
    "a revocation",
    { protocolMessage: { key: { id: "T" }, type: REVOKE } },
    { type: "text", body: "", edit: "revoke", target_id: "T" },
  ],
  [
    "a pin",
    { pinInChatMessage: { key: { id: "T" }, type: PIN_FOR_ALL } },
    { type: "text", body: "", edit: "pin", target_id: "T" },
  ],
  ["a quote, a mention, a forward: of an image", { imageMessage: { contextInfo: context } }, referring],
  ["of a poll", { pollCreationMessageV3: { ...poll, contextInfo: context } }, referring],
  ["of a place", { locationMessage: { contextInfo: context } }, referring],
  ["of an event message", { eventMessage: { contextInfo: context } }, referring],
  ["a contact", { contactMessage: { vcard: "BEGIN:VCARD" } }, { type: "text", body: "BEGIN:VCARD" }],
  ["contacts", { contactsArrayMessage: { contacts: [{ vcard: "a" }, { vcard: "b" }] } }, { body: "a\nb" }],
  ["a choice of a list", { listResponseMessage: { title: "Soup" } }, { type: "text", body: "Soup" }],
  ["a pressed button", { buttonsResponseMessage: { selectedDisplayText: "Yes" } }, { body: "Yes" }],
  ["an invitation", { groupInviteMessage: { caption: "join us" } }, { type: "text", body: "join us" }],
  ["an order without words", { orderMessage: { itemCount: 2 } }, { type: "text", body: "" }],
  ["a comment", { commentMessage: { message: text } }, { type: "text", body: "hello" }],
])("%s", ([, content, expected]) => {
  const [mapped] = map({}, content)
  expect(mapped!.event).toMatchObject(expected)
  expect(mapped!.event).toEqual(expect.schemaMatching(Event))
})

function reactionInGroup(participant?: string) {
  const key = { id: "T", fromMe: false, participant }
  return map(group, { reactionMessage: { key, text: "👍" } })[0]!.event
}

test("in a group a reaction says whose message it is about, if the key does", () => {
  expect(reactionInGroup(eve)).toMatchObject({ reaction: { contact_id: eve }, contact_id: bob })
  expect(reactionInGroup()).toMatchObject({ reaction: { contact_id: "" } })
})

test("a reaction that was given on our phone is about the other's message", () => {
  const [mapped] = map(
    { from: own.jid, recipient: bob },
    { deviceSentMessage: { message: { reactionMessage: { key: { id: "T", fromMe: false }, text: "x" } } } },
  )
  expect(mapped!.event).toMatchObject({ from_me: true, chat_id: bob, reaction: { contact_id: bob } })
})

test.for<[string, Record<string, string>, Record<string, unknown>]>([
  [
    "a status",
    { from: "status@broadcast", participant: "77@lid", participant_pn: bob },
    { chat_id: "status@broadcast", contact_id: bob, is_broadcast: true, is_group: false },
  ],
  [
    "a message to a list of people is in the chat with its author",
    { from: "123@broadcast", participant: bob },
    { chat_id: bob, contact_id: bob, is_broadcast: true },
  ],
  [
    "our own message to a list",
    { from: "123@broadcast", participant: own.jid },
    { chat_id: "123@broadcast", from_me: true, is_broadcast: true },
  ],
])("%s", ([, attrs, expected]) => {
  const [mapped] = map(attrs, text)
  expect(mapped!.event).toMatchObject(expected)
  expect(mapped!.event).toEqual(expect.schemaMatching(Event))
})

test("a business whose name the network has verified is told as such", () => {
  expect(map({}, text, true)[0]!.event).toMatchObject({ verified_business: true })
  expect(map({}, text)[0]!.event).not.toHaveProperty("verified_business")
})

test.for<[string, MessageContent]>([
  [
    "a timer for disappearing messages",
    { protocolMessage: { type: EPHEMERAL_SETTING, ephemeralExpiration: 60 } },
  ],
  ["an unpinned message", { pinInChatMessage: { key: { id: "T" }, type: UNPIN_FOR_ALL } }],
  ["the frame of an album", { albumMessage: { expectedImageCount: 2 } }],
  [
    "a sender key in a message to our other devices",
    { deviceSentMessage: { message: { senderKeyDistributionMessage: {} } } },
  ],
  ["a vote that nobody can open", { pollUpdateMessage: { pollCreationMessageKey: { id: "P" } } }],
])("%s gives no event", ([, content]) => {
  expect(map({}, content)).toEqual([])
})

test.for<[string, MessageContent]>([
  ["a kind without a meaning here", { invoiceMessage: { note: "pay" } }],
  ["a wrapper around what this protocol does not know", { ephemeralMessage: { message: {} } }],
  [
    "nothing but the context of what it does not know",
    { messageContextInfo: { messageSecret: Buffer.alloc(32) } },
  ],
  ["wrappers without end", nested(50)],
])("%s is not lost: it is set aside", ([, content]) => {
  expect(() => map({}, content)).toThrow(Unreadable)
})

function nested(depth: number): MessageContent {
  return depth === 0 ? text : { ephemeralMessage: { message: nested(depth - 1) } }
}

test("a message is remembered as far as a forward, a vote or a download needs it, and no further", () => {
  const bytes = Buffer.alloc(32, 1)
  const [image] = map(group, {
    imageMessage: {
      caption: "see",
      mediaKey: bytes,
      jpegThumbnail: Buffer.alloc(9000),
      contextInfo: context,
    },
    messageContextInfo: { messageSecret: bytes, deviceListMetadata: {} },
  })
  expect(image!.remember).toEqual({
    id: "ABC",
    chat: "120@g.us",
    sender: "77@lid",
    fromMe: false,
    content: {
      imageMessage: { caption: "see", mediaKey: bytes },
      messageContextInfo: { messageSecret: bytes },
    },
  })
  const [long] = map({}, { extendedTextMessage: { text: "x".repeat(70_000) } })
  expect(long!.remember!.content.conversation).toHaveLength(65_537)
  const cards = [1, 2].map((n) => ({
    displayName: `${n}`,
    vcard: `BEGIN:VCARD ${"x".repeat(9000)}`,
    contextInfo: context,
  }))
  const [contacts] = map(
    {},
    { contactsArrayMessage: { displayName: "both", contacts: cards, contextInfo: context } },
  )
  expect(contacts!.remember!.content.contactsArrayMessage).toEqual({
    displayName: "both",
    contacts: cards.map(({ displayName, vcard }) => ({ displayName, vcard })),
  })
  const [edited] = map({}, { protocolMessage: { key: { id: "T" }, type: MESSAGE_EDIT, editedMessage: text } })
  expect(edited!.remember!.content).toEqual({})
})
