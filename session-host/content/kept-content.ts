import Long from "long"
import type { MessageContent } from "../network/connection.ts"
import { pollOf, textOf } from "./content.ts"
import { fieldOf } from "./reading.ts"

type Card = NonNullable<MessageContent["contactMessage"]>

/** Contract, "Forwarded messages": the length that clients allow for a text, in characters. */
export const longestText = 65_536
/** How much is kept of a quoted text, or of anything like a name or an address, in characters. */
const longestQuote = 4096

/** The only binary fields that are needed. Thumbnails are not needed, and may be large. */
const keys = new Set([
  "mediaKey",
  "fileEncSha256",
  "fileSha256",
  "attachmentMediaKey",
  "attachmentFileEncSha256",
  "attachmentFileSha256",
])

/**
 * The part of a message that a forward, a vote, an answer or a download needs. A text that is cut is too long
 * to be forwarded.
 */
export function keptContent(content: MessageContent): MessageContent {
  const { contactMessage, contactsArrayMessage } = content
  const secret = content.messageContextInfo?.messageSecret
  return {
    ...partOf(content, longestText + 1),
    ...(contactMessage && { contactMessage: cardOf(contactMessage) }),
    ...(contactsArrayMessage && {
      contactsArrayMessage: {
        ...named(contactsArrayMessage),
        contacts: contactsArrayMessage.contacts?.map(cardOf),
      },
    }),
    ...(secret && { messageContextInfo: { messageSecret: secret } }),
  }
}

/** What a quote of a message shows. */
export function quoteOf(content: MessageContent): MessageContent {
  const { contactMessage, contactsArrayMessage } = content
  return {
    ...partOf(content, longestQuote),
    ...(contactMessage && { contactMessage: named(contactMessage) }),
    ...(contactsArrayMessage && { contactsArrayMessage: named(contactsArrayMessage) }),
  }
}

/** A contact card with a vCard only if it is whole: a part of a vCard is of no use. */
function cardOf(card: Card): Card {
  return { ...named(card), vcard: card.vcard }
}

function named({ displayName }: Card): Card {
  return { displayName: displayName?.slice(0, longestQuote) }
}

/**
 * The part of a content that is read, shortened. Polls are kept in one form, so that votes find their
 * options.
 */
function partOf(content: MessageContent, longest: number): MessageContent {
  const text = textOf(content)
  if (text !== undefined) return { conversation: text.slice(0, longest) }
  const poll = pollOf(content)
  if (poll) return { pollCreationMessage: slimmed(poll, longest) }
  const field = fieldOf(content)
  return field ? { [field]: slimmed(content[field], longest) } : {}
}

/** The same value without the fields that are not needed, and with shorter texts. All fields are optional. */
function slimmed<Value>(value: Value, longest: number, name = ""): Value {
  if (typeof value === "string")
    return value.slice(0, name === "caption" ? longest : longestQuote) as Value & string
  if (typeof value !== "object" || value === null || Long.isLong(value) || value instanceof Uint8Array)
    return value
  if (Array.isArray(value)) return value.map((each: unknown) => slimmed(each, longest)) as Value & unknown[]
  const entries = Object.entries(value).filter(
    ([key, part]) => key !== "contextInfo" && (!(part instanceof Uint8Array) || keys.has(key)),
  )
  return Object.fromEntries(
    entries.map(([key, part]: [string, unknown]) => [key, slimmed(part, longest, key)]),
  ) as Value
}
