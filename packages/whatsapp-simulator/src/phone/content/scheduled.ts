import { createCipheriv, randomBytes, randomUUID } from "node:crypto"
import { proto } from "@whiskeysockets/baileys"
import { el, type Node } from "../../wire/node.ts"
import type { WrittenContent } from "../outgoing-messages.ts"
import { field } from "./protobuf-field.ts"

/** A field of `Message` that Baileys' protocol does not have. */
const conditionalRevealMessage = 120

/**
 * A message to be shown at `at` (Unix seconds), sealed under a key that the network is given with it
 * (WhatsApp Web, `WAWebScheduledMsgCrypto`, `WAWebScheduledMsgStanzaContributor`).
 */
export function scheduled(content: WrittenContent, at: number): { content: Buffer; meta: Node[] } {
  const key = randomBytes(32)
  const rkid = randomUUID()
  const encIv = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", key, encIv)
  const plaintext = Buffer.isBuffer(content) ? content : proto.Message.encode(content).finish()
  const encPayload = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
  const sealed = Buffer.concat([field(1, encPayload), field(2, encIv), field(4, Buffer.from(rkid))])
  return {
    content: field(conditionalRevealMessage, sealed),
    meta: [el("meta", { type: "scheduled_message", st: at }, [el("key", { rkid }, key)])],
  }
}
