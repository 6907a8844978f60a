import { hkdfSync } from "node:crypto"
import type { Kind } from "./kind-and-content-type.ts"

/** The use for which keys are derived. Stickers count as images, voice notes as audio. */
const uses: Record<Kind, string> = {
  image: "Image",
  sticker: "Image",
  video: "Video",
  audio: "Audio",
  voice: "Audio",
  document: "Document",
}

/** How many bytes of the MAC follow the ciphertext. */
export const macBytes = 10

/** The keys of a file, derived from the one in its message. */
export function keysForKind(mediaKey: Uint8Array, kind: Kind) {
  return keysForUse(mediaKey, uses[kind])
}

/** The keys of a file for this use, which is the network's own word for it. */
export function keysForUse(mediaKey: Uint8Array, use: string) {
  const keys = Buffer.from(hkdfSync("sha256", mediaKey, Buffer.alloc(0), `WhatsApp ${use} Keys`, 112))
  return { iv: keys.subarray(0, 16), cipherKey: keys.subarray(16, 48), macKey: keys.subarray(48, 80) }
}
