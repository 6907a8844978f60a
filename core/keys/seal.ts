import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import type { Key } from "../store/store.ts"

const version = 1

/**
 * AES-256-GCM under a bridge's data key, bound to the key of the item that will hold it: version, nonce,
 * text, tag.
 */
export function seal(dataKey: Uint8Array, item: Key, plain: string | Uint8Array): Uint8Array {
  const nonce = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", dataKey, nonce).setAAD(binding(item))
  return Buffer.concat([Buffer.of(version), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** @throws when the bytes were sealed for another item, under another key, or changed since. */
export function open(dataKey: Uint8Array, item: Key, sealed: Uint8Array): Buffer {
  if (sealed[0] !== version) throw new Error(`sealed in an unknown version (${sealed[0]})`)
  const decipher = createDecipheriv("aes-256-gcm", dataKey, sealed.subarray(1, 13))
  decipher.setAAD(binding(item)).setAuthTag(sealed.subarray(-16))
  return Buffer.concat([decipher.update(sealed.subarray(13, -16)), decipher.final()])
}

function binding(item: Key): Buffer {
  return Buffer.from(`${item.pk}\n${item.sk}`)
}
