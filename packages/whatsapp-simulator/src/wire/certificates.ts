import { proto } from "@whiskeysockets/baileys"
import * as Curve from "./curve.ts"

/**
 * The network's proof of itself: its static Noise key, and the chain from the root a client
 * trusts over an intermediate to a leaf bound to that key.
 */
export interface Authority {
  root: Curve.KeyPair
  noise: Curve.KeyPair
  chain: Buffer
}

/** Clients want the intermediate to be issued by serial 0, the root (Baileys, whatsmeow). */
const serials = { root: 0, intermediate: 1, leaf: 2 }

const Details = proto.CertChain.NoiseCertificate.Details

/** A new root with everything below it, valid for ten years from yesterday. */
export function create(now = Date.now()): Authority {
  const root = Curve.generate()
  const intermediate = Curve.generate()
  const noise = Curve.generate()
  const notBefore = Math.floor(now / 1000) - 86_400
  const validity = { notBefore, notAfter: notBefore + 10 * 365 * 86_400 }
  const issue = (by: Curve.KeyPair, serial: number, issuerSerial: number, key: Buffer) => {
    const details = Details.encode({ serial, issuerSerial, key, ...validity }).finish()
    return { details, signature: Curve.sign(by.private, details) }
  }
  const chain = proto.CertChain.encode({
    intermediate: issue(root, serials.intermediate, serials.root, intermediate.public),
    leaf: issue(intermediate, serials.leaf, serials.intermediate, noise.public),
  }).finish()
  return { root, noise, chain: Buffer.from(chain) }
}
