import { createHash } from "node:crypto"
import { type BinaryNode, proto } from "@whiskeysockets/baileys"
import type { Received } from "../network/connection.ts"

/** The network's types of placeholders for messages that are seen once. */
export const viewOnce = new Set(["view_once", "view_once_unavailable_fanout"])

const { MASK_LINKED_DEVICES: type } = proto.Message.PlaceholderMessage.PlaceholderType

/** A content that stands for the message, padded like a decrypted one. */
const plaintext = Buffer.concat([
  proto.Message.encode({ viewOnceMessage: { message: { placeholderMessage: { type } } } }).finish(),
  Buffer.of(1),
])

/**
 * A message to be seen once. Companions get only a placeholder, so the result has a content that stands for the message.
 * Baileys sends a receipt for the placeholder and reports nothing.
 */
export function viewOnceIn({ attrs, content }: BinaryNode): Received | undefined {
  const parts = Array.isArray(content) ? content : []
  if (parts.some(({ tag }) => tag === "enc" || tag === "plaintext")) return undefined
  if (!parts.some((part) => part.tag === "unavailable" && viewOnce.has(part.attrs.type ?? "")))
    return undefined
  const named = [attrs.from, attrs.participant, attrs.recipient, attrs.id]
  const hash = createHash("sha256").update(JSON.stringify(["view once", ...named]))
  return { hash: hash.digest("hex"), attrs, plaintext }
}
