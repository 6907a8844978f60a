import type { MessageContent } from "./connection.ts"
import { message, webMessage } from "./message-proto/codec.ts"
import type { WebMessageInfo } from "./message-proto/types.ts"

export { eventResponse, pollVote, reaction } from "./message-proto/codec.ts"

/**
 * The content of a decrypted message.
 * @throws if the padding is longer than the text, or the text is not a protobuf.
 */
export function decode(plaintext: Uint8Array): MessageContent {
  return message.decode(unpad(plaintext))
}

/**
 * A decrypted message without its padding, whose length is its last byte.
 * @throws Error if the padding is longer than the message
 */
export function unpad(padded: Uint8Array): Uint8Array {
  const padding = padded.at(-1) ?? 1
  if (padding > padded.length) throw new Error("a message with more padding than text")
  return padded.subarray(0, padded.length - padding)
}

/** A message without padding, as we store those that we sent. */
export function decodeBare(bytes: Uint8Array): MessageContent {
  return message.decode(bytes)
}

/** The bytes of a message, without padding. */
export function encodeBare(content: MessageContent): Uint8Array {
  return message.encode(content)
}

/** A message that our phone sends again because we received only a placeholder. */
export function decodeWeb(bytes: Uint8Array): WebMessageInfo {
  return webMessage.decode(bytes)
}
