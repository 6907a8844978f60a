import { createHash } from "node:crypto"
import { type BinaryNode, proto } from "@whiskeysockets/baileys"
import type { Received } from "../../network/connection.ts"
import { placeholderIn } from "./placeholder.ts"

const { MASK_LINKED_DEVICES: type } = proto.Message.PlaceholderMessage.PlaceholderType

/** A content that stands for the message, padded like a decrypted message. */
const plaintext = Buffer.concat([
  proto.Message.encode({ viewOnceMessage: { message: { placeholderMessage: { type } } } }).finish(),
  Buffer.of(1),
])

/**
 * A message to be seen once. Companions get only a placeholder, so the result has a content that stands for
 * the message. Baileys sends a receipt for the placeholder and reports nothing.
 */
export function viewOnceIn(node: BinaryNode): Received | undefined {
  if (placeholderIn(node) !== "view_once") return undefined
  const { attrs } = node
  const named = [attrs.from, attrs.participant, attrs.recipient, attrs.id]
  const hash = createHash("sha256").update(JSON.stringify(["view once", ...named]))
  return { hash: hash.digest("hex"), attrs, plaintext }
}
