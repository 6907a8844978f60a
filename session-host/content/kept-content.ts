import type { MessageContent } from "../network/connection.ts"
import { mediaOf, pollOf, textOf } from "./content.ts"

type Card = NonNullable<MessageContent["contactMessage"]>

/** Contract, "Forwarded messages": as long as clients let a text be; in characters. */
export const longestText = 65_536
/** The most that is kept of a quoted text, or of anything like a name or an address; in characters. */
const longestQuote = 4096

/** The only binary fields that are needed. Thumbnails are not, and may be large. */
const keys = new Set(["mediaKey", "fileEncSha256", "fileSha256"])

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

/** A vCard is of no use unless it is whole. */
function cardOf(card: Card): Card {
  return { ...named(card), vcard: card.vcard }
}

function named({ displayName }: Card): Card {
  return { displayName: displayName?.slice(0, longestQuote) }
}

function partOf(content: MessageContent, longest: number): MessageContent {
  const text = textOf(content)
  if (text !== undefined) return { conversation: text.slice(0, longest) }
  const slim = <Part extends object>(part: Part): Part => slimmed(part, longest)
  const { imageMessage, videoMessage, ptvMessage, audioMessage, documentMessage, stickerMessage } = content
  if (mediaOf(content))
    return {
      ...(imageMessage && { imageMessage: slim(imageMessage) }),
      ...(videoMessage && { videoMessage: slim(videoMessage) }),
      ...(ptvMessage && { ptvMessage: slim(ptvMessage) }),
      ...(audioMessage && { audioMessage: slim(audioMessage) }),
      ...(documentMessage && { documentMessage: slim(documentMessage) }),
      ...(stickerMessage && { stickerMessage: slim(stickerMessage) }),
    }
  const poll = pollOf(content)
  if (poll) return { pollCreationMessage: slim(poll) }
  const { eventMessage, locationMessage, liveLocationMessage } = content
  return {
    ...(eventMessage && { eventMessage: slim(eventMessage) }),
    ...(locationMessage && { locationMessage: slim(locationMessage) }),
    ...(liveLocationMessage && { liveLocationMessage: slim(liveLocationMessage) }),
  }
}

function slimmed<Part extends object>(part: Part, longest: number): Part {
  const entries = Object.entries(part).filter(
    ([name, value]) => name !== "contextInfo" && (!(value instanceof Uint8Array) || keys.has(name)),
  )
  const cut = entries.map(([name, value]: [string, unknown]) => [
    name,
    typeof value === "string" ? value.slice(0, name === "caption" ? longest : longestQuote) : value,
  ])
  // The same fields, some of them shorter or absent, which all are optional.
  return Object.fromEntries(cut) as Part
}
