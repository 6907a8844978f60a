import type { MessageContent } from "../network.ts"

/** The message inside its wrappers: what they say of it (it disappears, is seen once, was sent by us) is not content. */
export function unwrap(content: MessageContent): MessageContent {
  const inner =
    content.deviceSentMessage?.message ??
    content.ephemeralMessage?.message ??
    content.viewOnceMessage?.message ??
    content.viewOnceMessageV2?.message ??
    content.viewOnceMessageV2Extension?.message ??
    content.documentWithCaptionMessage?.message
  return inner ? unwrap(inner) : content
}

/** The text of a text message; undefined for every other content. */
export function textOf(content: MessageContent): string | undefined {
  return content.extendedTextMessage?.text ?? content.conversation ?? undefined
}

type Kind = "text" | "media" | "reaction" | "poll" | "location" | "event"

/** What a content is, in the contract's words; `""` for what is none of them. */
export function kindOf(content: MessageContent): Kind | "" {
  if (textOf(content) !== undefined) return "text"
  if (content.reactionMessage) return "reaction"
  if (content.locationMessage ?? content.liveLocationMessage) return "location"
  if (content.eventMessage) return "event"
  if (
    content.pollCreationMessage ??
    content.pollCreationMessageV2 ??
    content.pollCreationMessageV3 ??
    content.pollCreationMessageV5
  )
    return "poll"
  const media =
    content.imageMessage ??
    content.videoMessage ??
    content.ptvMessage ??
    content.audioMessage ??
    content.documentMessage ??
    content.stickerMessage
  return media ? "media" : ""
}

/** What a content says in words: its text, or the words beside a medium; `""` without any. */
export function wordsOf(content: MessageContent): string {
  return (
    textOf(content) ??
    content.imageMessage?.caption ??
    content.videoMessage?.caption ??
    content.documentMessage?.caption ??
    ""
  )
}
