import { Curve, generateSignalPubKey } from "@whiskeysockets/baileys"
import { curve } from "../phone/libsignal.ts"

/** An X25519 pair; the public half is 32 bytes, without Signal's type byte. */
export type KeyPair = { public: Buffer; private: Buffer }

export function generate(): KeyPair {
  const pair = Curve.generateKeyPair()
  return { public: Buffer.from(pair.public), private: Buffer.from(pair.private) }
}

export function sign(privateKey: Buffer, message: Uint8Array): Buffer {
  return Buffer.from(Curve.sign(privateKey, message))
}

/** Whether the signature is this key's. Baileys' own `Curve.verify` says yes to any 64 bytes. */
export function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64 || (publicKey.length !== 32 && publicKey.length !== 33)) return false
  const key = Buffer.from(generateSignalPubKey(publicKey))
  return curve.verifySignature(key, Buffer.from(message), Buffer.from(signature))
}
