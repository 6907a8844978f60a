import { proto, unpadRandomMax16 } from "@whiskeysockets/baileys"
import type { MessageContent } from "../network.ts"

/**
 * The content of a decrypted message.
 * @throws if the padding is longer than the text, or the text no protobuf, or of nothing that is known.
 */
export function decode(plaintext: Uint8Array): MessageContent {
  const bytes = unpadRandomMax16(plaintext)
  const content = proto.Message.decode(bytes)
  // What is unknown to this version of the protocol is skipped by its decoder, without a word.
  if (bytes.length > 0 && Object.keys(content).length === 0)
    throw new Error("a message of nothing that is known")
  return content
}

/** A message without padding, as we keep those that we sent. */
export function decodeBare(bytes: Uint8Array): MessageContent {
  return proto.Message.decode(bytes)
}

/** The bytes of a message, without padding. */
export function encodeBare(content: MessageContent): Uint8Array {
  return proto.Message.encode(content).finish()
}

/** A message as our phone sends it to us again, when we got nothing but a placeholder. */
export function decodeWeb(bytes: Uint8Array): proto.IWebMessageInfo {
  return proto.WebMessageInfo.decode(bytes)
}

/** What is inside an answer, once it is opened. */
export const decodeAnswer = {
  vote: (bytes: Uint8Array) => proto.Message.PollVoteMessage.decode(bytes),
  response: (bytes: Uint8Array) => proto.Message.EventResponseMessage.decode(bytes),
  reaction: (bytes: Uint8Array) => proto.Message.ReactionMessage.decode(bytes),
}
