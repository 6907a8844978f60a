import { createRequire } from "node:module"
import { Curve, generateSignalPubKey, KEY_BUNDLE_TYPE } from "@whiskeysockets/baileys"
import { calculateAgreement, calculateSignature, generateKeyPair } from "whatsapp-rust-bridge"
import { curve, type KeyPair } from "../signal/libsignal.ts"
import { isSignedBy } from "./signature.ts"

/** The functions with which libsignal 6.0.0 signs and verifies. It looks both up at each call. */
interface Signer {
  sign(key: Uint8Array, message: Uint8Array): Uint8Array
  verify(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean
}

/**
 * Makes libsignal 6.0.0 and Baileys 7.0.0-rc14 compute on the curve with the library that Baileys has for its
 * other ciphers. libsignal signs and verifies in plain JavaScript, which takes some hundred times as long,
 * and each message to or from a group needs one of the two. It makes keys and agreements with Node's key
 * objects, which takes twice as long.
 */
export function repairCurve() {
  const signer = createRequire(createRequire(import.meta.url).resolve("libsignal"))("curve25519-js") as Signer
  signer.sign = calculateSignature
  signer.verify = isSignedBy
  curve.generateKeyPair = newPair
  curve.calculateAgreement = agree
  // Baileys has taken libsignal's functions already.
  Curve.generateKeyPair = () => {
    const { pubKey, privKey } = newPair()
    return { private: privKey, public: pubKey.subarray(1) }
  }
  Curve.sharedKey = (privateKey, publicKey) => agree(publicKey, privateKey)
}

function newPair(): KeyPair {
  const { pubKey, privKey } = generateKeyPair()
  return { pubKey: Buffer.from(pubKey), privKey: Buffer.from(privKey) }
}

/**
 * @throws Error for bytes that are no keys, and, as OpenSSL does, for a key with which every agreement gives
 * the same secret (RFC 7748, 6.1)
 */
function agree(theirs: Uint8Array, privateKey: Uint8Array): Buffer<ArrayBuffer> {
  const publicKey = generateSignalPubKey(theirs)
  if (publicKey.length !== 33 || publicKey[0] !== KEY_BUNDLE_TYPE[0]) throw new Error("this is no public key")
  if (privateKey.length !== 32) throw new Error("this is no private key")
  const secret = Buffer.from(calculateAgreement(publicKey, privateKey))
  if (secret.every((byte) => byte === 0)) throw new Error("a public key of low order")
  return secret
}
