import type { MessageContent } from "../../network/connection.ts"
import { mediaOf, pollOf, textOf } from "../../network/content.ts"

/** A quote shows no more; in characters. */
export const longestKept = 4096

/** The only binary fields that are needed. Thumbnails are not, and may be large. */
const keys = new Set(["mediaKey", "fileEncSha256", "fileSha256"])

/** The part of a message that a quote, a vote, an answer or a download needs. */
export function kept(content: MessageContent): MessageContent {
  const secret = content.messageContextInfo?.messageSecret
  return { ...partOf(content), ...(secret && { messageContextInfo: { messageSecret: secret } }) }
}

function partOf(content: MessageContent): MessageContent {
  const text = textOf(content)
  if (text !== undefined) return { conversation: text.slice(0, longestKept) }
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

function slim<Part extends object>(part: Part): Part {
  const entries = Object.entries(part).filter(
    ([name, value]) => name !== "contextInfo" && (!(value instanceof Uint8Array) || keys.has(name)),
  )
  const cut = entries.map(([name, value]: [string, unknown]) => [
    name,
    typeof value === "string" ? value.slice(0, longestKept) : value,
  ])
  return Object.fromEntries(cut) as Part // the same fields, some of them shorter or absent, which all are optional
}
