import { generateSignalPubKey } from "@whiskeysockets/baileys"
import { calculateSignature, generateKeyPair, verifySignature } from "whatsapp-rust-bridge"

/** An X25519 pair; the public half is 32 bytes, without Signal's type byte. */
export interface KeyPair {
  public: Buffer
  private: Buffer
}

export function generate(): KeyPair {
  const { pubKey, privKey } = generateKeyPair()
  return { public: Buffer.from(pubKey.subarray(1)), private: Buffer.from(privKey) }
}

export function sign(privateKey: Buffer, message: Uint8Array): Buffer {
  return Buffer.from(calculateSignature(privateKey, message))
}

/**
 * Whether the signature is this key's (signal.org/docs/specifications/xeddsa). The key has 32 bytes, or 33
 * with its type.
 */
export function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64 || (publicKey.length !== 32 && publicKey.length !== 33)) return false
  try {
    return verifySignature(generateSignalPubKey(publicKey), message, signature)
  } catch {
    // Bytes that are no key.
    return false
  }
}
