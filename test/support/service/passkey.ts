import { createHash, generateKeyPairSync, randomBytes } from "node:crypto"

/** CBOR: a head of one byte for what is shorter than 24, of two for less than 256, of three for the rest. */
function head(major: number, length: number): Buffer {
  const type = major << 5
  if (length < 24) return Buffer.from([type + length])
  if (length < 256) return Buffer.from([type + 24, length])
  return Buffer.from([type + 25, length >> 8, length & 255])
}
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value])
const text = (value: string) => Buffer.concat([head(3, value.length), Buffer.from(value)])

/**
 * The answer of a device that makes a passkey for this challenge, as a browser sends it: a new P-256 key,
 * without attestation (WebAuthn, 6.5).
 */
export function newPasskey({ challenge, origin }: { challenge: string; origin: string }) {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  // EC2, ES256, P-256 (RFC 9053, 7.1).
  const cose = Buffer.concat([
    Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21]),
    bytes(Buffer.from(x, "base64url")),
    Buffer.from([0x22]),
    bytes(Buffer.from(y, "base64url")),
  ])
  const id = randomBytes(32)
  // The person was there and proved who they are; what follows is a key.
  const flags = 0b0100_0101
  const data = Buffer.concat([
    createHash("sha256").update(new URL(origin).hostname).digest(),
    Buffer.from([flags, 0, 0, 0, 0]),
    Buffer.alloc(16),
    Buffer.from([0, id.length]),
    id,
    cose,
  ])
  const attestation = Buffer.concat([
    head(5, 3),
    text("fmt"),
    text("none"),
    text("attStmt"),
    head(5, 0),
    text("authData"),
    bytes(data),
  ])
  const client = JSON.stringify({ type: "webauthn.create", challenge, origin })
  return {
    id: id.toString("base64url"),
    rawId: id.toString("base64url"),
    type: "public-key",
    clientExtensionResults: {},
    response: {
      clientDataJSON: Buffer.from(client).toString("base64url"),
      attestationObject: attestation.toString("base64url"),
    },
  }
}
