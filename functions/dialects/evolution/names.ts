import { toJid } from "#core/message/jid.ts"

// How Evolution names chats and messages.

/** What a caller gives as `number`, as our API takes it: digits in any spelling, or a JID. */
export function chatOf(number: string): string {
  const named = number.trim().replace(/:\d+(?=@)/, "")
  if (named.includes("@")) return named.replace(/@c\.us$/, "@s.whatsapp.net")
  const isOldGroup = named.includes("-") && named.length >= 24
  const digits = named.replaceAll(isOldGroup ? /[^\d-]/g : /\D/g, "")
  // Nobody's phone number is this long.
  return isOldGroup || digits.length >= 18 ? `${digits}@g.us` : digits
}

/** The JID of what a caller gives as `number`. */
export function jidOf(number: string): string {
  const chat = chatOf(number)
  return chat && toJid(chat)
}

export function groupOf(name: string): string {
  return name === "" || name.includes("@") ? name : `${name}@g.us`
}

export interface Key {
  remoteJid: string
  remoteJidAlt?: string
  fromMe: boolean
  id: string
  participant?: string
}

/** A message's key. In a group it names who wrote the message. */
export function keyOf(message: {
  message_id: string
  chat_id: string
  chat_lid?: string | undefined
  from_me: boolean
  contact_id?: string
}): Key {
  const { message_id, chat_id, chat_lid, from_me, contact_id } = message
  const isOfGroup = chat_id.endsWith("@g.us") || chat_id.endsWith("@broadcast")
  return {
    remoteJid: chat_id,
    ...(chat_lid !== undefined && chat_lid !== chat_id && { remoteJidAlt: chat_lid }),
    fromMe: from_me,
    id: message_id,
    ...(isOfGroup && contact_id && { participant: contact_id }),
  }
}

/** How far a message has come. */
export const statuses = {
  pending: "PENDING",
  sent: "SERVER_ACK",
  delivered: "DELIVERY_ACK",
  read: "READ",
  played: "PLAYED",
  failed: "ERROR",
  received: "DELIVERY_ACK",
} as const

/** Whether a caller gave an address; what is none may be a file itself, in base64. */
export function isUrl(given: string): boolean {
  return /^https?:\/\//i.test(given)
}
