import type { proto } from "@whiskeysockets/baileys"

/** The words of a message, `""` when it has none. */
export function textOf(message: proto.IMessage): string {
  return (
    message.conversation ??
    message.extendedTextMessage?.text ??
    message.imageMessage?.caption ??
    message.videoMessage?.caption ??
    message.documentMessage?.caption ??
    ""
  )
}
