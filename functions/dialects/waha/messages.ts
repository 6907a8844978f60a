import { isGroup } from "#core/message/jid.ts"
import type { Kept, Sent } from "../ours.ts"
import { chatIdOf, messageIdOf } from "./ids.ts"

/** What a message is told with, besides its own fields. */
export interface Around {
  /** The session's own JID, as WAHA names it; `""` where it is not known. */
  me: string
  /** Where the files of this session's messages are, without a `/` at the end. */
  files: string
}

/** WAHA's number and name of how far a message has come. */
const acks = {
  failed: [-1, "ERROR"],
  pending: [0, "PENDING"],
  sent: [1, "SERVER"],
  delivered: [2, "DEVICE"],
  received: [2, "DEVICE"],
  read: [3, "READ"],
  played: [4, "PLAYED"],
} as const
export type Status = keyof typeof acks

export function ackOf(status: Status): { ack: number; ackName: string } {
  const [ack, ackName] = acks[status]
  return { ack, ackName }
}

interface Sided {
  message_id: string
  chat_id: string
  contact_id: string
  from_me: boolean
  timestamp: number
}

/**
 * Which message it is, and between whom. As of WAHA's engines NOWEB and GOWS, `from` is the chat also of what
 * the session itself has written. No type there takes null for `to` and `participant`: they are `""`.
 */
export function sidesOf(message: Sided, { me }: Pick<Around, "me">) {
  const chat = chatIdOf(message.chat_id)
  return {
    id: messageIdOf(message),
    timestamp: message.timestamp,
    from: chat,
    fromMe: message.from_me,
    to: message.from_me ? chat : me,
    participant: isGroup(message.chat_id) ? chatIdOf(message.contact_id) : "",
  }
}

/** WAHA's `WAMessage`. `_data` has what its engine NOWEB calls these things, as far as we know them. */
export function toMessage(message: Kept, around: Around) {
  const sides = sidesOf(message, around)
  const media = mediaOf(message, around)
  return {
    ...sides,
    source: message.status === undefined ? "app" : "api",
    body: message.body,
    hasMedia: media !== null,
    media,
    mediaUrl: media?.url ?? "",
    ...ackOf(message.status ?? (message.from_me ? "sent" : "received")),
    author: sides.participant || null,
    location: message.location ? locationOf(message.location) : null,
    vCards: message.contacts?.map(({ vcard }) => vcard) ?? null,
    replyTo: message.quoted ? replyToOf(message.quoted) : null,
    _data: dataOf(message),
  }
}

function dataOf({ message_id, chat_id, contact_id, from_me, name, timestamp, ...more }: Kept) {
  const participant = isGroup(chat_id) ? contact_id : undefined
  return {
    key: { id: message_id, remoteJid: chat_id, fromMe: from_me, participant },
    messageTimestamp: timestamp,
    pushName: name,
    mentionedJid: more.mentions?.map(chatIdOf),
  }
}

function mediaOf(message: Kept, { files }: Around) {
  if (message.type !== "media" || message.media_type === "") return null
  const mimetype = message.file?.content_type ?? "application/octet-stream"
  const named = message.file?.name || `${message.message_id}.${extensionOf(mimetype)}`
  const path = [messageIdOf(message), named].map(encodeURIComponent).join("/")
  const filename = message.file?.name || null
  const { bucket: Bucket, key: Key, url = `${files}/${path}` } = message.file?.stored_as ?? {}
  return { url, mimetype, filename, s3: Bucket ? { Bucket, Key } : null, error: null }
}

/** Programs take a file's kind from the end of its URL. */
function extensionOf(mimetype: string): string {
  const [, subtype = ""] = /^[^/]+\/(?:x-)?([a-z0-9]{2,5})(?:;|$)/.exec(mimetype.toLowerCase()) ?? []
  return subtype === "ogg" ? "oga" : subtype || "bin"
}

function locationOf({ lat, lng, name, address, live }: NonNullable<Kept["location"]>) {
  return {
    latitude: String(lat),
    longitude: String(lng),
    live: live === true,
    name,
    address,
    url: null,
    description: name,
    thumbnail: null,
  }
}

function replyToOf({ message_id, contact_id, body, type }: NonNullable<Kept["quoted"]>) {
  const participant = chatIdOf(contact_id)
  return { id: message_id, participant, body, hasMedia: type === "media", media: null, _data: null }
}

/** The answer to whatever sends: the message, as far as its sender knows it. */
export function toSent(sent: Sent, body: string) {
  const text = { type: "text", media_type: "", body, name: "", phone: "", contact_id: "" } as const
  const is_group = isGroup(sent.chat_id)
  const message = toMessage(
    { ...sent, ...text, is_group, from_me: true, status: "sent" },
    { me: "", files: "" },
  )
  return { ...message, key: message._data.key }
}
