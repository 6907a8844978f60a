import type { MessageContent } from "../network/connection.ts"
import { decodeBare } from "../network/decode.ts"
import { messageFields } from "../network/message-proto/codec.ts"
import { type Field, fieldsOf } from "../network/protobuf-fields.ts"
import { read } from "./reading.ts"
import { unwrap, wrappers } from "./unwrap.ts"

/** Fields that clients send each other and people never see (`docs/network.md` has the reason of each). */
export const silent = new Set<string>([
  "messageContextInfo",
  "senderKeyDistributionMessage",
  "fastRatchetKeySenderKeyDistributionMessage",
  "protocolMessage",
  "pinInChatMessage",
  "keepInChatMessage",
  "pollUpdateMessage",
  "albumMessage",
  "call",
  "chat",
  "callLogMesssage",
  "stickerSyncRmrMessage",
  "messageHistoryBundle",
  "messageHistoryNotice",
  "statusNotificationMessage",
  "limitSharingMessage",
  "encReactionMessage",
  "encEventResponseMessage",
  "secretEncryptedMessage",
  "groupRootKeyShare",
  "rootSecretDistributeMessage",
  "splitPaymentUpdateMessage",
  "statusLinkPreviewMetadata",
  "acp2SettingMessage",
] satisfies (keyof MessageContent)[])

/** A message of a kind that this release cannot read (Contract, "Kinds of messages"). */
export interface Unknown {
  /** The name of its field of `Message`; `field 140` for a field that the protocol here does not have. */
  kind: string
  /** The texts in it, as far as they look like what people write. */
  body: string
}

/** The fields of wrappers and of an edit that have a message in them. */
const wrappedFields = new Map<string, number>([
  ...wrappers.map((name) => [name, 1] as const),
  ["deviceSentMessage", 2],
  ["protocolMessage", 14],
])

/**
 * The first part of a message, wrappers opened, that people see and this release cannot read. In bytes that
 * are no message, it is the part before they cease to be one, if there is such a part.
 * @param read the field of the message that was read. A new field beside that one counts only if it has
 * words: WhatsApp adds facts that people never see to messages of every kind.
 */
export function unknownIn(bytes: Uint8Array, read?: string, depth = 8): Unknown | undefined {
  try {
    for (const { number, bytes: part } of fieldsOf(bytes)) {
      const name = messageFields.get(number)
      const wrapped = wrappedFields.get(name ?? "")
      const inner = wrapped && depth > 0 && fieldIn(part, wrapped)
      if (!inner && name && (silent.has(name) || name === read)) continue
      const found = inner
        ? unknownIn(inner, read, depth - 1)
        : { kind: name ?? `field ${number}`, body: wordsIn(part) }
      if (found && (read === undefined || name || found.body)) return found
    }
    return undefined
  } catch {
    return { kind: "unreadable", body: "" }
  }
}

/**
 * The message in a wrapper that this release does not know, if it can read that message: WhatsApp Web adds
 * wrappers each year, and all are made alike.
 */
export function inUnknownWrapper(bytes: Uint8Array, depth = 8): MessageContent | undefined {
  for (const { number, bytes: part } of fieldsIn(bytes)) {
    const name = messageFields.get(number)
    const wrapped = wrappedFields.get(name ?? "")
    const inner = wrapped ? fieldIn(part, wrapped) : name === undefined && onlyFieldIn(part)
    if (!inner || depth === 0) continue
    const found = wrapped ? inUnknownWrapper(inner, depth - 1) : decoded(inner)
    if (found && read(unwrap(found))) return found
  }
  return undefined
}

function decoded(bytes: Uint8Array): MessageContent | undefined {
  try {
    return decodeBare(bytes)
  } catch {
    return undefined
  }
}

function fieldIn(bytes: Uint8Array, number: number): Uint8Array | undefined {
  return fieldsIn(bytes).find((field) => field.number === number && field.bytes.length > 0)?.bytes
}

/** The content of a wrapper, which has no other field beside it. */
function onlyFieldIn(bytes: Uint8Array): Uint8Array | undefined {
  const [first, ...more] = fieldsIn(bytes)
  return first?.number === 1 && more.length === 0 ? first.bytes : undefined
}

/** The fields of bytes that may be a message; none if they are no message. */
function fieldsIn(bytes: Uint8Array): Field[] {
  try {
    return [...fieldsOf(bytes)]
  } catch {
    return []
  }
}

/** How much of a text is repeated, in characters. */
const longest = 65_536

/** Ids, addresses, types of content, hashes and the like, which are not written by people. */
const notWritten = /^(\S+@[a-z.]+|[\w.+-]+\/[\w.+-]+|\/\S+|https?:\S+|[\dA-F]{16,}|[\w+/=-]{24,}|[\d\W]*)$/

/** The texts in a part of a message, a line each. */
function wordsIn(part: Uint8Array): string {
  return textsIn(part).join("\n").slice(0, longest)
}

function textsIn(part: Uint8Array, depth = 9): string[] {
  if (part.length === 0 || depth === 0) return []
  const text = textOf(part)
  if (text !== undefined) return notWritten.test(text) ? [] : [text]
  return fieldsIn(part).flatMap(({ bytes }) => textsIn(bytes, depth - 1))
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Bytes as a text, if they can be one: nearly every message in a message has a control character. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = utf8.decode(bytes)
    // A message may begin with a line feed: its first field, with a text.
    return /[^\P{Cc}\t\n\r]|^\n/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
