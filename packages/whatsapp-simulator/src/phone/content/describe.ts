import { proto } from "@whiskeysockets/baileys"

/** The part of a message's content that the inbox keeps. */
export function described(content: proto.IMessage | Buffer) {
  if (Buffer.isBuffer(content)) return { text: "", kind: "bytes", content: {} }
  const json: unknown = proto.Message.fromObject(content).toJSON()
  const names = Object.keys(json as object)
  const kind = names.find((name) => !wrappers.has(name)) ?? ""
  return { text: textOf(content), kind, content: json }
}

/** Fields that accompany the actual content of a message. */
const wrappers = new Set(["messageContextInfo", "senderKeyDistributionMessage"])

/** The words of a message, `""` when it has none. */
function textOf(message: proto.IMessage): string {
  return (
    message.conversation ??
    message.extendedTextMessage?.text ??
    message.imageMessage?.caption ??
    message.videoMessage?.caption ??
    message.documentMessage?.caption ??
    ""
  )
}
