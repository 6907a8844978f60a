import { generateSignalPubKey } from "@whiskeysockets/baileys"
import { verifySignature } from "whatsapp-rust-bridge"

/**
 * Whether this key made this XEdDSA signature (signal.org/docs/specifications/xeddsa): the network's way to
 * sign with a key of Curve25519. libsignal's own check takes a hundred times as long.
 *
 * `publicKey`: 32 bytes, or 33 with the type in front.
 */
export function isSignedBy(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64 || (publicKey.length !== 32 && publicKey.length !== 33)) return false
  try {
    return verifySignature(generateSignalPubKey(publicKey), message, signature)
  } catch {
    // These bytes are no key.
    return false
  }
}
