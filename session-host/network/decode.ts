import type { MessageContent } from "./connection.ts"
import { proto, unpadRandomMax16 } from "./proto.ts"

/**
 * The content of a decrypted message. @throws if the padding is longer than the text, or the text is not a
 * protobuf, or contains nothing known.
 */
export function decode(plaintext: Uint8Array): MessageContent {
  const bytes = unpadRandomMax16(plaintext)
  const content = proto.Message.decode(bytes)
  // The decoder silently skips fields that are unknown to this version of the protocol.
  if (bytes.length > 0 && Object.keys(content).length === 0)
    throw new Error("a message of nothing that is known")
  return content
}

/** A message without padding, as we store those that we sent. */
export function decodeBare(bytes: Uint8Array): MessageContent {
  return proto.Message.decode(bytes)
}

/** The bytes of a message, without padding. */
export function encodeBare(content: MessageContent): Uint8Array {
  return proto.Message.encode(content).finish()
}

/** A message that our phone sends again because we received only a placeholder. */
export function decodeWeb(bytes: Uint8Array): proto.IWebMessageInfo {
  return proto.WebMessageInfo.decode(bytes)
}

/** The content of an answer, once it is opened. */
export const decodeAnswer = {
  vote: (bytes: Uint8Array) => proto.Message.PollVoteMessage.decode(bytes),
  response: (bytes: Uint8Array) => proto.Message.EventResponseMessage.decode(bytes),
  reaction: (bytes: Uint8Array) => proto.Message.ReactionMessage.decode(bytes),
}
