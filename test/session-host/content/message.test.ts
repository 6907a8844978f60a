import { expect, test } from "vitest"
import { Event } from "#contract/event.ts"
import { lidsIn, phonesIn } from "#session-host/content/chat-and-sender.ts"
import { eventIdentityOf } from "#session-host/content/message-identity.ts"
import { fromMessage } from "#session-host/content/message.ts"
import type { MessageContent } from "#session-host/network/connection.ts"

const own = { jid: "491719999999@s.whatsapp.net", lid: "99@lid" }
const bob = "491710000001@s.whatsapp.net"

function map(attrs: Record<string, string>, content: MessageContent, phones = new Map<string, string>()) {
  const all = { id: "ABC", from: bob, t: "1800000000", notify: "Bob", ...attrs }
  return fromMessage({ attrs: all, content, own, phones: new Map([...phonesIn(all, own), ...phones]) })
}

const text = { conversation: "hello" }

test("a text becomes an event with every field", () => {
  const [mapped] = map({}, text)
  expect(mapped!.event).toEqual({
    event: "message",
    message_id: "ABC",
    contact_id: bob,
    phone: "491710000001",
    chat_id: bob,
    name: "Bob",
    body: "hello",
    type: "text",
    media_type: "",
    is_group: false,
    from_me: false,
    timestamp: 1_800_000_000,
  })
  expect(mapped!.event).toEqual(expect.schemaMatching(Event))
})

test.for<[string, Record<string, string>, MessageContent, Record<string, unknown>]>([
  ["an extended text", {}, { extendedTextMessage: { text: "hi" } }, { body: "hi" }],
  ["a disappearing text", {}, { ephemeralMessage: { message: text } }, { body: "hello" }],
  ["a text to be seen once", {}, { viewOnceMessageV2: { message: text } }, { body: "hello" }],
  [
    "a text in two wrappers",
    {},
    { ephemeralMessage: { message: { viewOnceMessage: { message: text } } } },
    { body: "hello" },
  ],
  ["one that came while offline", { offline: "1" }, text, { offline: true }],
  [
    "a device of the sender",
    { from: "491710000001:7@s.whatsapp.net" },
    text,
    { contact_id: bob, chat_id: bob },
  ],
  [
    "a LID whose number the stanza tells",
    { from: "77@lid", sender_pn: bob },
    text,
    { contact_id: bob, chat_id: bob, phone: "491710000001" },
  ],
  [
    "a LID whose number nobody knows",
    { from: "77@lid" },
    text,
    { contact_id: "77@lid", chat_id: "77@lid", phone: "" },
  ],
  [
    "a group",
    { from: "120@g.us", participant: "77@lid", participant_pn: bob },
    text,
    { is_group: true, chat_id: "120@g.us", contact_id: bob, phone: "491710000001" },
  ],
  [
    "one of our phone's",
    { from: own.jid, recipient: bob },
    { deviceSentMessage: { destinationJid: bob, message: text } },
    { from_me: true, chat_id: bob, contact_id: own.jid, phone: "491719999999" },
  ],
  [
    "one of our phone's, by LID",
    { from: "99@lid", recipient: "77@lid", peer_recipient_pn: bob },
    { deviceSentMessage: { destinationJid: "77@lid", message: text } },
    { from_me: true, chat_id: bob, contact_id: own.jid },
  ],
  [
    "one of ours in a group",
    { from: "120@g.us", participant: "99:3@lid" },
    text,
    { from_me: true, chat_id: "120@g.us", contact_id: own.jid },
  ],
  [
    "a forwarded text",
    {},
    { extendedTextMessage: { text: "x", contextInfo: { isForwarded: true } } },
    { forwarded: true },
  ],
  [
    "mentions",
    {},
    { extendedTextMessage: { text: "x", contextInfo: { mentionedJid: [bob, "99@lid"] } } },
    { mentions: [bob, own.jid] },
  ],
  [
    "an answer",
    {},
    {
      extendedTextMessage: {
        text: "x",
        contextInfo: { stanzaId: "Q", participant: bob, quotedMessage: text },
      },
    },
    { quoted: { message_id: "Q", contact_id: bob, body: "hello", type: "text" } },
  ],
  [
    "an answer to a picture",
    {},
    {
      extendedTextMessage: {
        text: "x",
        contextInfo: { stanzaId: "Q", quotedMessage: { imageMessage: { caption: "see" } } },
      },
    },
    { quoted: { message_id: "Q", contact_id: "", body: "see", type: "media" } },
  ],
])("%s", ([, attrs, content, expected]) => {
  const [mapped] = map(attrs, content)
  expect(mapped!.event).toMatchObject(expected)
  expect(mapped!.event).toEqual(expect.schemaMatching(Event))
})

test.for<[string, Record<string, string>, MessageContent]>([
  ["an empty message, as a redelivered one becomes", {}, {}],
  ["a message between our own devices", { category: "peer" }, text],
  ["keys of the protocol", {}, { protocolMessage: {} }],
  ["a sender key alone", {}, { senderKeyDistributionMessage: {} }],
])("%s gives no event", ([, attrs, content]) => {
  expect(map(attrs, content)).toEqual([])
})

const named = (attrs: Record<string, string>, phones?: Map<string, string>) =>
  eventIdentityOf(map(attrs, text, phones)[0]!.message!)

test("a message is named by what was received, never by what was resolved: by the author's LID where told", () => {
  const unresolved = named({ from: "77@lid" })
  expect(named({ from: "77@lid" }, new Map([["77@lid", bob]]))).toEqual(unresolved)
  expect(named({ from: "77:3@lid", sender_pn: bob, offline: "3", notify: "B" })).toEqual(unresolved)
  expect(named({ from: bob, sender_lid: "77@lid" })).toEqual(unresolved)
  expect(named({ from: "78@lid" })).not.toEqual(unresolved)
  expect(named({ from: "120@g.us", participant: "77@lid" })).not.toEqual(unresolved)
})

test("only those LIDs are looked up whose number the stanza does not tell", () => {
  const content = {
    extendedTextMessage: {
      text: "x",
      contextInfo: { participant: "5@lid", mentionedJid: ["6@lid", "99@lid", bob] },
    },
  }
  const attrs = { id: "A", from: "77:2@lid", sender_pn: bob }
  expect([...lidsIn({ attrs, content, own })]).toEqual(["5@lid", "6@lid"])
})
