import type { MessageContent } from "../network/connection.ts"

type ContextInfo = NonNullable<NonNullable<MessageContent["extendedTextMessage"]>["contextInfo"]>
type Poll = NonNullable<MessageContent["pollCreationMessage"]>

/** `ProtocolMessage.Type`, as far as it changes another message. */
export const changeTypes: Record<"revoke" | "edit", number> = { revoke: 0, edit: 14 }

/** Clients never wrap deeper than this, but strangers may nest without end. */
const deepest = 8

/**
 * The message inside its wrappers, which only say how to treat it: it disappears, is seen once, was sent by
 * us. The secret of a poll or event message may be beside the wrapper.
 */
export function unwrap(content: MessageContent, depth = deepest): MessageContent {
  const inner = innerOf(content)
  if (!inner || depth === 0) return content
  const { messageContextInfo } = content
  return unwrap(
    messageContextInfo && !inner.messageContextInfo ? { ...inner, messageContextInfo } : inner,
    depth - 1,
  )
}

function innerOf(content: MessageContent): MessageContent | null | undefined {
  const wrapper =
    content.deviceSentMessage ??
    content.ephemeralMessage ??
    content.viewOnceMessage ??
    content.viewOnceMessageV2 ??
    content.viewOnceMessageV2Extension ??
    content.documentWithCaptionMessage ??
    content.editedMessage ??
    content.lottieStickerMessage ??
    content.groupMentionedMessage ??
    content.botInvokeMessage ??
    content.botForwardedMessage ??
    content.associatedChildMessage ??
    content.groupStatusMessage ??
    content.groupStatusMessageV2 ??
    content.pollCreationMessageV4 ??
    content.questionMessage ??
    content.questionReplyMessage
  return wrapper?.message
}

/** Whether a content is to be seen once. */
export function isSeenOnce(content: MessageContent): boolean {
  const { viewOnceMessage, viewOnceMessageV2, viewOnceMessageV2Extension } = content
  const { imageMessage, videoMessage, audioMessage } = unwrap(content)
  return Boolean(
    viewOnceMessage ??
    viewOnceMessageV2 ??
    viewOnceMessageV2Extension ??
    (imageMessage ?? videoMessage ?? audioMessage)?.viewOnce,
  )
}

/** The text of a text message; undefined for every other content. */
export function textOf(content: MessageContent): string | undefined {
  return content.extendedTextMessage?.text ?? content.conversation ?? undefined
}

/** A poll, in whatever form clients have made it over the years. */
export function pollOf(content: MessageContent): Poll | undefined {
  return (
    content.pollCreationMessage ??
    content.pollCreationMessageV2 ??
    content.pollCreationMessageV3 ??
    content.pollCreationMessageV5 ??
    undefined
  )
}

/** Where the bytes of a medium are, and how they are decrypted. */
export interface Media {
  kind: "image" | "video" | "audio" | "voice" | "document" | "sticker"
  caption: string
  mimetype: string
  fileName: string
  url: string
  directPath: string
  mediaKey: Uint8Array
  fileEncSha256: Uint8Array
  fileSha256: Uint8Array
}

type Part = Partial<Record<Exclude<keyof Media, "kind">, unknown>>

/** The medium that a content carries. */
export function mediaOf(content: MessageContent): Media | undefined {
  const { imageMessage, videoMessage, ptvMessage, audioMessage, documentMessage, stickerMessage } = content
  if (imageMessage) return media("image", imageMessage)
  if (videoMessage) return media("video", videoMessage)
  if (ptvMessage) return media("video", ptvMessage)
  if (audioMessage) return media(audioMessage.ptt ? "voice" : "audio", audioMessage)
  if (documentMessage) return media("document", documentMessage)
  return stickerMessage ? media("sticker", stickerMessage) : undefined
}

function media(kind: Media["kind"], part: Part): Media {
  return {
    kind,
    caption: stringOf(part.caption),
    mimetype: stringOf(part.mimetype),
    fileName: stringOf(part.fileName),
    url: stringOf(part.url),
    directPath: stringOf(part.directPath),
    mediaKey: bytesOf(part.mediaKey),
    fileEncSha256: bytesOf(part.fileEncSha256),
    fileSha256: bytesOf(part.fileSha256),
  }
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array()
}

/**
 * The words of a content that the contract has no type for, such as a contact or the answer to a list. They
 * are reported as text, so that nothing said to a customer is lost. Undefined for content without words.
 */
function otherWordsOf(content: MessageContent): string | undefined {
  const { templateMessage: template } = content
  const invite = content.groupInviteMessage ?? content.newsletterAdminInviteMessage
  const payment = content.sendPaymentMessage ?? content.requestPaymentMessage
  const saying: [unknown, () => string | null | undefined][] = [
    [content.contactMessage, () => content.contactMessage?.vcard],
    [content.contactsArrayMessage, () => cardsOf(content)],
    [content.buttonsResponseMessage, () => content.buttonsResponseMessage?.selectedDisplayText],
    [content.listResponseMessage, () => content.listResponseMessage?.title],
    [content.templateButtonReplyMessage, () => content.templateButtonReplyMessage?.selectedDisplayText],
    [content.interactiveResponseMessage, () => content.interactiveResponseMessage?.body?.text],
    [content.buttonsMessage, () => content.buttonsMessage?.contentText],
    [content.listMessage, () => content.listMessage?.description ?? content.listMessage?.title],
    [template, () => (template?.hydratedTemplate ?? template?.hydratedFourRowTemplate)?.hydratedContentText],
    [content.interactiveMessage, () => content.interactiveMessage?.body?.text],
    [invite, () => invite?.caption],
    [content.productMessage, () => content.productMessage?.body],
    [content.orderMessage, () => content.orderMessage?.message],
    [payment, () => wordsOf(unwrap(payment?.noteMessage ?? {}))],
    [content.scheduledCallCreationMessage, () => content.scheduledCallCreationMessage?.title],
    [content.commentMessage, () => wordsOf(unwrap(content.commentMessage?.message ?? {}))],
  ]
  const found = saying.find(([part]) => part)
  return found && (found[1]() ?? "")
}

function cardsOf(content: MessageContent): string {
  return (content.contactsArrayMessage?.contacts ?? []).map(({ vcard }) => vcard ?? "").join("\n")
}

type Kind = "text" | "media" | "reaction" | "poll" | "location" | "event"

/** The contract's type of a content; `""` if it has none. */
export function kindOf(content: MessageContent): Kind | "" {
  if (textOf(content) !== undefined) return "text"
  if (content.reactionMessage) return "reaction"
  if (content.locationMessage ?? content.liveLocationMessage) return "location"
  if (content.eventMessage) return "event"
  if (pollOf(content)) return "poll"
  if (mediaOf(content)) return "media"
  return otherWordsOf(content) === undefined ? "" : "text"
}

/** The words of a content: its text, the caption of a medium, a poll's question; `""` without any. */
export function wordsOf(content: MessageContent): string {
  return (
    textOf(content) ??
    mediaOf(content)?.caption ??
    content.reactionMessage?.text ??
    pollOf(content)?.name ??
    content.eventMessage?.name ??
    content.locationMessage?.name ??
    content.liveLocationMessage?.caption ??
    otherWordsOf(content) ??
    ""
  )
}

/** The context of a message of any kind: the message it refers to, and whom it mentions. */
export function contextInfoOf(content: MessageContent): ContextInfo | undefined {
  for (const part of Object.values(content) as unknown[]) {
    // Every part of a message may carry one, under this name.
    const { contextInfo } = (typeof part === "object" && part !== null ? part : {}) as {
      contextInfo?: ContextInfo
    }
    if (contextInfo) return contextInfo
  }
  return undefined
}
