import { verifySignature } from "whatsapp-rust-bridge"

/** Stands before a public key of the curve: its type. */
const type = Buffer.from([5])

/**
 * Whether a signature of XEdDSA (signal.org/docs/specifications/xeddsa) is this key's: the network's way to sign with a
 * key of Curve25519. libsignal's own check takes a hundred times as long.
 *
 * `publicKey`: 32 bytes, or 33 with the type in front.
 */
export function isSignedBy(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64 || (publicKey.length !== 32 && publicKey.length !== 33)) return false
  try {
    return verifySignature(Buffer.concat([type, publicKey.subarray(-32)]), message, signature)
  } catch {
    // Bytes that are no key.
    return false
  }
}
