import type { MessageContent } from "../network/connection.ts"

/**
 * Wrappers only say how to treat the message in them: it disappears, is seen once, was sent by us. Each
 * wrapper has the message in its field `message`.
 */
export const wrappers = [
  "deviceSentMessage",
  "ephemeralMessage",
  "viewOnceMessage",
  "viewOnceMessageV2",
  "viewOnceMessageV2Extension",
  "documentWithCaptionMessage",
  "editedMessage",
  "lottieStickerMessage",
  "audioStickerMessage",
  "groupMentionedMessage",
  "botInvokeMessage",
  "botForwardedMessage",
  "botTaskMessage",
  "associatedChildMessage",
  "groupStatusMessage",
  "groupStatusMessageV2",
  "pollCreationMessageV4",
  "pollCreationOptionImageMessage",
  "eventCoverImage",
  "questionMessage",
  "questionReplyMessage",
  "spoilerMessage",
  "statusAddYours",
  "newsletterAdminProfileMessage",
  "newsletterAdminProfileStatusMessage",
  "newsletterScheduledMessage",
  "botPlatformRegistrationSuccessMessage",
] as const satisfies (keyof MessageContent)[]

/** Clients never wrap deeper than this, but strangers may nest without end. */
const deepest = 8

/**
 * The message inside its wrappers. The secret of a poll or event message may stand beside the wrapper, and so
 * may the association with another message.
 */
export function unwrap(content: MessageContent, depth = deepest): MessageContent {
  const wrapper = wrappers.find((name) => content[name]?.message)
  const inner = wrapper && content[wrapper]?.message
  if (!inner || depth === 0) return content
  const { messageContextInfo } = content
  return unwrap(
    messageContextInfo && !inner.messageContextInfo ? { ...inner, messageContextInfo } : inner,
    depth - 1,
  )
}

/** The wrappers that `unwrap` takes off, the outermost first. */
export function wrappersOf(content: MessageContent, depth = deepest): (typeof wrappers)[number][] {
  const wrapper = wrappers.find((name) => content[name]?.message)
  const inner = wrapper && content[wrapper]?.message
  return inner && depth > 0 ? [wrapper, ...wrappersOf(inner, depth - 1)] : []
}
