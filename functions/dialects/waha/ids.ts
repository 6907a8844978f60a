import { isGroup, withoutDevice } from "#core/message/jid.ts"

// WAHA's names of chats, messages and sessions, in both directions. Nothing else builds or reads one.

/** A chat or a person as WAHA names it: a phone number is at `c.us`. */
export function chatIdOf(jid: string): string {
  return withoutDevice(jid).replace(/@s\.whatsapp\.net$/, "@c.us")
}

/** The same as our API names it. Digits alone are a phone number to both. */
export function chatOf(chatId: string): string {
  return withoutDevice(chatId.trim()).replace(/@c\.us$/, "@s.whatsapp.net")
}

/** A phone number, which WAHA's programs write as digits or as a chat. */
export function phoneOf(given: string): string {
  return chatOf(given).replace(/@s\.whatsapp\.net$/, "")
}

/** The chat of a phone number; null where the number is not known. */
export function pnOf(phone: string): string | null {
  return phone === "" ? null : `${phone}@c.us`
}

/**
 * `true_491711234567@c.us_3EB0A1`, and of what somebody else has written in a group with the writer at the
 * end: `false_1203@g.us_3A0F_4917@c.us`.
 */
export function messageIdOf(message: {
  message_id: string
  chat_id: string
  from_me: boolean
  contact_id?: string | undefined
}): string {
  const { message_id, chat_id, from_me, contact_id } = message
  const isOfMany = isGroup(chat_id) || chat_id.endsWith("@broadcast")
  const writer = isOfMany && !from_me && contact_id ? `_${chatIdOf(contact_id)}` : ""
  return `${from_me}_${chatIdOf(chat_id)}_${message_id}${writer}`
}

/** What the id of a message says. Whatever has another form is our own id. */
export function partsOf(messageId: string): { id: string; chat?: string } {
  const form = /^(?:true|false)_([^_@]+@[a-z.]+)_(.+?)(?:_[^_@]+@[a-z.]+)?$/
  const [, chat, id] = form.exec(messageId) ?? []
  return chat === undefined || id === undefined ? { id: messageId } : { id, chat: chatOf(chat) }
}

/** Where the files of a session's messages are, for who has the key. @param origin where this dialect is */
export function filesAt(origin: string, session: string): string {
  return `${origin}/api/files/${session}`
}

export function pictureAt(origin: string, session: string, jid: string): string {
  return `${filesAt(origin, session)}/picture/${encodeURIComponent(chatIdOf(jid))}.jpg`
}
