import { proto, unpadRandomMax16 } from "@whiskeysockets/baileys"
import type { MessageContent } from "../network.ts"

/**
 * The content of a journalled message.
 * @throws if the padding is longer than the text, or the text no protobuf.
 */
export function decode(plaintext: Uint8Array): MessageContent {
  return proto.Message.decode(unpadRandomMax16(plaintext))
}
