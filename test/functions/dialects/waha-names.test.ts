import { expect, test } from "vitest"
import { nameOfRef, refOfName } from "#core/bridge/ref-of-name.ts"
import { chatIdOf, chatOf, messageIdOf, partsOf, phoneOf } from "#functions/dialects/waha/ids.ts"

// WAHA's names of chats, messages and sessions, in both directions.

test.each([
  ["491711234567@s.whatsapp.net", "491711234567@c.us"],
  ["123456789012345@lid", "123456789012345@lid"],
  ["120363041234567890@g.us", "120363041234567890@g.us"],
  ["status@broadcast", "status@broadcast"],
  ["120363041234567890@newsletter", "120363041234567890@newsletter"],
])("%s is %s there, and comes back as it was", (jid, chatId) => {
  expect(chatIdOf(jid)).toBe(chatId)
  expect(chatOf(chatId)).toBe(jid)
})

test.each([
  ["491711234567", "491711234567"],
  [" 491711234567@c.us", "491711234567@s.whatsapp.net"],
  ["491711234567@s.whatsapp.net", "491711234567@s.whatsapp.net"],
  ["491711234567:12@c.us", "491711234567@s.whatsapp.net"],
])("%j names the chat %s", (given, chat) => {
  expect(chatOf(given)).toBe(chat)
  expect(phoneOf(given)).toBe("491711234567")
})

const chat = "491711234567@s.whatsapp.net"
const group = "120363041234567890@g.us"

test.each([
  [{ message_id: "3EB0", chat_id: chat, from_me: true }, "true_491711234567@c.us_3EB0", chat],
  [
    { message_id: "3A0F", chat_id: chat, from_me: false, contact_id: chat },
    "false_491711234567@c.us_3A0F",
    chat,
  ],
  [
    { message_id: "3A0F", chat_id: group, from_me: false, contact_id: chat },
    `false_${group}_3A0F_491711234567@c.us`,
    group,
  ],
  [{ message_id: "3EB0", chat_id: group, from_me: true, contact_id: chat }, `true_${group}_3EB0`, group],
  [
    { message_id: "A_B.c", chat_id: group, from_me: false, contact_id: "1@lid" },
    `false_${group}_A_B.c_1@lid`,
    group,
  ],
])("the id of a message says its chat and our id: %j", (message, id, inChat) => {
  expect(messageIdOf(message)).toBe(id)
  expect(partsOf(id)).toEqual({ id: message.message_id, chat: inChat })
})

test.each(["3EB0A1B2", "true_3EB0", "false__3A", "a@b"])("%s, which says no chat, is our own id", (id) => {
  expect(partsOf(id)).toEqual({ id })
})

test.each([
  ["default", "default-session"],
  ["shop", "shop"],
])("the session %s is the bridge %s", (session, ref) => {
  expect(refOfName(session)).toBe(ref)
  expect(nameOfRef(ref)).toBe(session)
})
