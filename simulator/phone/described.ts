import { proto } from "@whiskeysockets/baileys"
import { textOf } from "./text.ts"

/** What the inbox keeps of a message's content. */
export function described(content: proto.IMessage | Buffer) {
  if (Buffer.isBuffer(content)) return { text: "", kind: "bytes", content: {} }
  const json: unknown = proto.Message.fromObject(content).toJSON()
  const names = Object.keys(json as object)
  const kind = names.find((name) => !wrappers.has(name)) ?? ""
  return { text: textOf(content), kind, content: json }
}

/** Fields that come beside what a message is. */
const wrappers = new Set(["messageContextInfo", "senderKeyDistributionMessage"])
