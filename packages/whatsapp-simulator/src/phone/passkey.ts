import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto"
import { aesDecryptGCM, Curve as Agreement, hkdf, hmacSign, proto } from "@whiskeysockets/baileys"
import { PairingError, type Pairing } from "../devices/pairing.ts"
import { origin, type PhonesPart, rpId } from "../devices/passkey.ts"
import { Refusal } from "../stanzas/refusal.ts"
import * as Curve from "../wire/curve.ts"
import { bigEndian } from "../wire/node.ts"

/** The letters of a code that a companion and its phone show (Crockford, without 0). */
const letters = "123456789ABCDEFGHJKLMNPQRSTVWXYZ"

/** A passkey as its phone keeps it: a P-256 key. */
export interface PasskeyPair {
  id: Buffer
  /** PKCS #8, DER. */
  privateKey: Buffer
  /** As COSE writes it. */
  publicKey: Buffer
  userHandle: Buffer
}

export function newPasskey(): PasskeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  // {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
  const cose = ["a5010203262001215820", Buffer.from(x, "base64url").toString("hex"), "225820"]
  return {
    id: randomBytes(16),
    privateKey: privateKey.export({ format: "der", type: "pkcs8" }),
    publicKey: Buffer.from(cose.join("") + Buffer.from(y, "base64url").toString("hex"), "hex"),
    userHandle: randomBytes(16),
  }
}

/**
 * Signs a challenge (base64url) with a passkey, as a browser does on a page of this origin while its user is
 * present.
 */
export function assertion({ id, privateKey, userHandle }: PasskeyPair, challenge: string, page = origin) {
  const clientData = Buffer.from(
    JSON.stringify({ type: "webauthn.get", challenge, origin: page, crossOrigin: false }),
  )
  // The flags say that the user is present and verified. The counter stays 0, as it does for synced passkeys.
  const flags = Buffer.of(0x01 | 0x04)
  const authenticatorData = Buffer.concat([sha256(Buffer.from(rpId)), flags, bigEndian(0, 4)])
  const key = createPrivateKey({ key: privateKey, format: "der", type: "pkcs8" })
  const signature = sign("sha256", Buffer.concat([authenticatorData, sha256(clientData)]), key)
  const name = id.toString("base64url")
  return {
    id: name,
    rawId: name,
    type: "public-key" as const,
    response: {
      clientDataJSON: clientData.toString("base64url"),
      authenticatorData: authenticatorData.toString("base64url"),
      signature: signature.toString("base64url"),
      userHandle: userHandle.toString("base64url"),
    },
  }
}

/** What a phone shows while it links a companion with a passkey. */
export interface ShownProgress {
  stage: "waits" | "code" | "linked" | "failed"
  /** To be compared with the companion's, `XXXX-XXXX`. */
  code?: string
  /** Whether the two knew each other before, so that their owner need not compare codes. */
  isKnown?: boolean
  device?: number
  error?: string
}

interface Input {
  pairing: Pairing
  /** The secret that the companion showed in its code. It makes another one meanwhile. */
  advSecret: Buffer
  show: (shown: ShownProgress) => void
  /** Vouches for the companion under its new secret; the id of the new device. @throws PairingError */
  vouch: (advSecret: Buffer) => Promise<number>
}

/** The phone's part, for one companion. */
export function phonesPart({ pairing, advSecret, show, vouch }: Input): PhonesPart {
  const own = { ephemeral: Curve.generate(), nonce: randomBytes(32) }
  let companion:
    | { key: Buffer; identity: Buffer; commitment: Buffer; salt: string; isKnown: boolean }
    | undefined

  return {
    greet(prologue, ref, proof) {
      const { companionEphemeralIdentity, commitment } = decoded(proto.ProloguePayload, prologue)
      const identity = Buffer.from(companionEphemeralIdentity ?? [])
      const said = decoded(proto.CompanionEphemeralIdentity, identity)
      if (said.publicKey?.length !== 32 || commitment?.hash?.length !== 32) throw refused(400, "bad-request")
      if (said.ref !== ref) throw refused(404, "item-not-found")
      if (proof && !proof.equals(handoffProof(advSecret, prologue))) throw refused(401, "not-authorized")
      companion = {
        key: Buffer.from(said.publicKey),
        identity,
        commitment: Buffer.from(commitment.hash),
        salt: `Companion Pairing ${said.deviceType ?? 0} with ref ${ref}`,
        isKnown: proof !== undefined,
      }
      const answer = { publicKey: own.ephemeral.public, nonce: own.nonce }
      return Buffer.from(proto.PrimaryEphemeralIdentity.encode(answer).finish())
    },
    compare(nonce) {
      if (!companion || !sha256(companion.identity, nonce).equals(companion.commitment))
        throw refused(401, "not-authorized")
      show({ stage: "code", code: codeOf(own, nonce), isKnown: companion.isKnown })
    },
    async link(sealed, answer) {
      const request = companion && opened(sealed, keyOf(own.ephemeral, companion))
      if (!request) throw refused(401, "not-authorized")
      const isOwn =
        pairing.noiseKey.equals(Buffer.from(request.companionPublicKey ?? [])) &&
        pairing.identity.equals(Buffer.from(request.companionIdentityKey ?? []))
      if (!isOwn) throw refused(403, "forbidden")
      if (request.advSecret?.length !== 32) throw refused(400, "bad-request")
      answer()
      try {
        show({ stage: "linked", device: await vouch(Buffer.from(request.advSecret)) })
      } catch (error) {
        if (!(error instanceof PairingError)) throw error
        show({ stage: "failed", error: error.code })
      }
    },
  }
}

/** What shows that the companion is the one whose code the phone scanned. */
function handoffProof(advSecret: Buffer, prologue: Buffer): Buffer {
  const key = Buffer.from(hkdf(advSecret, 32, { info: "shortcake-passkey-handoff-v1" }))
  return hmacSign(prologue, key)
}

function keyOf(ephemeral: Curve.KeyPair, { key, salt }: { key: Buffer; salt: string }): Buffer {
  const shared = Agreement.sharedKey(ephemeral.private, key)
  return Buffer.from(
    hkdf(shared, 32, { salt: Buffer.from(salt), info: "Pairing Information Encryption Key" }),
  )
}

/** The code that both show. An attacker between them cannot make the two codes equal. */
function codeOf(own: { ephemeral: Curve.KeyPair; nonce: Buffer }, nonce: Buffer): string {
  const digest = sha256(nonce, own.ephemeral.public)
  const value = own.nonce.subarray(0, 5).map((byte, i) => byte ^ digest[i]!)
  const bits = [...value].map((byte) => byte.toString(2).padStart(8, "0")).join("")
  const code = Array.from({ length: 8 }, (_, i) => letters[Number.parseInt(bits.slice(5 * i, 5 * i + 5), 2)])
  return `${code.slice(0, 4).join("")}-${code.slice(4).join("")}`
}

/** Undefined when it was sealed under another key. */
function opened(sealed: Buffer, key: Buffer): proto.PairingRequest | undefined {
  const { encryptedPayload, iv } = decoded(proto.EncryptedPairingRequest, sealed)
  if (!encryptedPayload || iv?.length !== 12) throw refused(400, "bad-request")
  try {
    const plain = aesDecryptGCM(Buffer.from(encryptedPayload), key, Buffer.from(iv), Buffer.alloc(0))
    return proto.PairingRequest.decode(plain)
  } catch {
    return undefined
  }
}

function decoded<T>(type: { decode(bytes: Uint8Array): T }, content: Uint8Array): T {
  try {
    return type.decode(content)
  } catch {
    throw refused(400, "bad-request")
  }
}

function refused(code: number, text: string): Refusal {
  return new Refusal(code, text)
}

function sha256(...parts: Buffer[]): Buffer {
  return createHash("sha256").update(Buffer.concat(parts)).digest()
}
