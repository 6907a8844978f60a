import { createPublicKey, verify as verifyWith } from "node:crypto"
import { Curve } from "@whiskeysockets/baileys"

/** An X25519 pair; the public half is 32 bytes, without Signal's type byte. */
export interface KeyPair {
  public: Buffer
  private: Buffer
}

export function generate(): KeyPair {
  const pair = Curve.generateKeyPair()
  return { public: Buffer.from(pair.public), private: Buffer.from(pair.private) }
}

export function sign(privateKey: Buffer, message: Uint8Array): Buffer {
  return Buffer.from(Curve.sign(privateKey, message))
}

/**
 * Whether the signature is this key's. Baileys' own `Curve.verify` says yes to any 64 bytes; Signal's
 * takes ten times as long as this, which leaves it to OpenSSL: XEdDSA is Ed25519 under the Edwards form
 * of the key, whose sign is the highest bit of the signature (signal.org/docs/specifications/xeddsa, 2.5).
 */
export function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64 || (publicKey.length !== 32 && publicKey.length !== 33)) return false
  const last = signature[63] ?? 0
  const plain = Buffer.from(signature)
  plain[63] = last & 0x7f
  const point = edwards(publicKey.subarray(-32))
  point[31] = (point[31] ?? 0) | (last & 0x80)
  const key = createPublicKey({ key: Buffer.concat([spkiEd25519, point]), format: "der", type: "spki" })
  return verifyWith(null, message, key, plain)
}

/** The bytes before the 32 of an Ed25519 key in its DER form (RFC 8410). */
const spkiEd25519 = Buffer.from("302a300506032b6570032100", "hex")

const prime = 2n ** 255n - 19n

/** The y of a Montgomery u, little-endian, its sign bit clear: (u - 1) / (u + 1). */
function edwards(u: Uint8Array): Buffer {
  const x = BigInt(`0x${Buffer.from(u.toReversed()).toString("hex")}`) & (2n ** 255n - 1n)
  const y = ((x - 1n + prime) * power((x + 1n) % prime, prime - 2n)) % prime
  return Buffer.from(Buffer.from(y.toString(16).padStart(64, "0"), "hex").toReversed())
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let [square, rest] = [base, exponent]; rest > 0n; rest >>= 1n, square = (square * square) % prime)
    if (rest & 1n) result = (result * square) % prime
  return result
}
