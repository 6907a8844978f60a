import { createDecipheriv } from "node:crypto"
import type { MessageContent, Received } from "../network/connection.ts"
import { decodeBare } from "../network/decode.ts"
import { child, el, type Stanza } from "../network/stanza.ts"
import { wholeNumber } from "./mapped.ts"

/**
 * A scheduled message (`conditionalRevealMessage`) is sealed with AES-256-GCM under a key that its stanza
 * brings: `<meta type="scheduled_message" st="1900000000"><key rkid="...">32 bytes</key></meta>` (WhatsApp
 * Web, `WAWebScheduledMsgStanzaContributor`). All but its author get the key later (`withRevealKey`).
 * @returns the message in it and when it is to be sent; undefined if there is none, or no key that fits
 */
export function openScheduled(content: MessageContent, meta: Stanza[] | undefined) {
  const { encPayload, encIv, revealKeyId } = content.conditionalRevealMessage ?? {}
  const about = meta?.find(isAboutSchedule)
  const key = child(about, "key")
  if (!encPayload || !encIv || key?.bytes?.length !== 32 || key.attrs.rkid !== revealKeyId) return undefined
  const bytes = opened(encPayload, encIv, key.bytes)
  if (!bytes) return undefined
  const inner = decodeBare(bytes)
  const { messageContextInfo } = content
  return {
    content: messageContextInfo && !inner.messageContextInfo ? { ...inner, messageContextInfo } : inner,
    bytes,
    at: scheduledFor(meta),
  }
}

/** When a scheduled message is to be sent, in Unix seconds; 0 for any other message. */
export function scheduledFor(meta: Stanza[] | undefined): number {
  return wholeNumber(meta?.find(isAboutSchedule)?.attrs.st)
}

/** A scheduled message with its key, which has come separately. */
export function withRevealKey(received: Received, keyId: string, key: Uint8Array): Received {
  const about = received.meta?.find(isAboutSchedule)
  const others = (received.meta ?? []).filter((each) => each !== about)
  const attrs = about?.attrs ?? { type: metaType }
  return { ...received, meta: [el("meta", attrs, [el("key", { rkid: keyId }, key)]), ...others] }
}

const metaType = "scheduled_message"
const isAboutSchedule = ({ attrs }: Stanza) => attrs.type === metaType

function opened(payload: Uint8Array, iv: Uint8Array, key: Uint8Array): Buffer | undefined {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, iv)
    decipher.setAuthTag(payload.subarray(-16))
    return Buffer.concat([decipher.update(payload.subarray(0, -16)), decipher.final()])
  } catch {
    // The tag does not match, so this is another key.
    return undefined
  }
}
