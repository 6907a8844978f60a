import { Curve, proto, WA_CERT_DETAILS } from "@whiskeysockets/baileys"
import { isSignedBy } from "./signature.ts"

/** Makes all connections of this process trust this root alone, which is that of a simulated network. */
export function trustRoot(publicKey: Uint8Array) {
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(publicKey)
}

/**
 * Makes Baileys 7.0.0-rc14 check what it means to check: its `Curve.verify` ignores libsignal's answer and
 * says yes to any 64 bytes, and the handshake never compares the leaf's key with the static key it talks to.
 */
export function repairVerification() {
  const { sharedKey } = Curve
  // A handshake agrees with the server's static key, then verifies the leaf, then the intermediate, without a
  // pause in between: what was seen last belongs to the chain at hand.
  let agreedWith: Uint8Array | undefined
  let verified: Uint8Array | undefined

  Curve.sharedKey = (privateKey, publicKey) => {
    agreedWith = publicKey
    return sharedKey(privateKey, publicKey)
  }
  Curve.verify = (publicKey, message, signature) => {
    const leaf = verified
    verified = message
    if (!isSignedBy(publicKey, message, signature)) return false
    if (publicKey !== WA_CERT_DETAILS.PUBLIC_KEY) return true
    return leaf !== undefined && agreedWith !== undefined && isChain(message, leaf, agreedWith)
  }
}

/**
 * Whether this is a chain, as WhatsApp Web and whatsmeow check it: the intermediate issued the leaf, and the
 * leaf names the key that we talk to.
 */
function isChain(intermediate: Uint8Array, leaf: Uint8Array, staticKey: Uint8Array): boolean {
  const { Details } = proto.CertChain.NoiseCertificate
  const issuer = Details.decode(intermediate)
  const end = Details.decode(leaf)
  return end.issuerSerial === issuer.serial && Buffer.compare(end.key ?? Buffer.alloc(0), staticKey) === 0
}
