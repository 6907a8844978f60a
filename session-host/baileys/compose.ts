import { randomBytes } from "node:crypto"
import { proto } from "@whiskeysockets/baileys"

/**
 * A text message, ready to send, as WhatsApp Web builds it. The secret is random for each building: build once, keep
 * the bytes. No link preview: making one would fetch whatever address the text names.
 */
export function textMessage(input: { body: string }): Uint8Array {
  return proto.Message.encode({
    extendedTextMessage: { text: input.body },
    messageContextInfo: { messageSecret: randomBytes(32) },
  }).finish()
}
