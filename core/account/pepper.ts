import { createHmac } from "node:crypto"
import { open, seal } from "../keys/seal.ts"
import { need } from "../platform/config.ts"
import type { Key } from "../store/store.ts"

// The store has no API key, only its HMAC. The pepper of this HMAC is in no row in the clear.

export function hmac(secretKey: string, pepper: Uint8Array): Buffer {
  return createHmac("sha256", pepper).update(secretKey).digest()
}

/**
 * Each key has a pepper of its own: the pepper goes along when the key moves to another service, and reveals
 * no other key's.
 */
export function ownPepper(keyId: string): Buffer {
  return createHmac("sha256", need("API_KEY_PEPPER")).update(`key ${keyId}`).digest()
}

/** The pepper of a key. For a key from another service, it is in the row at `at`, sealed. */
export function pepperOf(keyId: string, at: Key, sealed: Uint8Array | undefined): Uint8Array {
  if (!sealed) return ownPepper(keyId)
  try {
    return open(sealingKey(), at, sealed)
  } catch {
    // The pepper of this service was replaced, which makes every key void.
    return ownPepper(keyId)
  }
}

export function sealedPepper(at: Key, pepper: Uint8Array): Uint8Array {
  return seal(sealingKey(), at, pepper)
}

/** An intruder who can write rows, but does not know the pepper of this service, cannot make a key. */
function sealingKey(): Buffer {
  return createHmac("sha256", need("API_KEY_PEPPER")).update("peppers of other services").digest()
}
