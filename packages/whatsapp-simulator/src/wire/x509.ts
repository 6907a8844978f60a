import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"

/** A certificate authority of our own and a server certificate under it, as PEM. */
export interface Tls {
  ca: string
  cert: string
  key: string
}

const oid = {
  ecdsaWithSha256: "2a8648ce3d040302",
  commonName: "550403",
  basicConstraints: "551d13",
  keyUsage: "551d0f",
  extendedKeyUsage: "551d25",
  subjectAltName: "551d11",
  serverAuth: "2b06010505070301",
}

/**
 * A certificate for loopback, and for the live network's hosts, as some clients cannot be given another
 * address and are led here by their dialer. Valid for ten years from yesterday.
 */
export function createTls(now = Date.now()): Tls {
  const authority = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const server = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const validity = seq(time(now - 86_400_000), time(now + 3650 * 86_400_000))
  const issuer = name("Simulated network CA")
  const issue = (subject: Buffer, key: KeyObject, extensions: Buffer[]) =>
    certificate(
      seq(
        context(0, integer(Buffer.from([2]))),
        integer(randomBytes(8)),
        seq(objectId(oid.ecdsaWithSha256)),
        issuer,
        validity,
        subject,
        createPublicKey(key).export({ type: "spki", format: "der" }),
        context(3, seq(...extensions)),
      ),
      authority.privateKey,
    )
  const ca = issue(issuer, authority.privateKey, [
    extension(oid.basicConstraints, seq(boolean(true))),
    // keyCertSign and cRLSign.
    extension(oid.keyUsage, der(0x03, Buffer.from([1, 0b0000_0110]))),
  ])
  const cert = issue(name("localhost"), server.privateKey, [
    extension(oid.extendedKeyUsage, seq(objectId(oid.serverAuth))),
    extension(
      oid.subjectAltName,
      seq(
        ...["localhost", "web.whatsapp.com", "*.whatsapp.net"].map((host) => der(0x82, Buffer.from(host))),
        der(0x87, Buffer.from([127, 0, 0, 1])),
        der(0x87, Buffer.concat([Buffer.alloc(15), Buffer.from([1])])),
      ),
    ),
  ])
  const key = server.privateKey.export({ type: "pkcs8", format: "pem" })
  return { ca: pem(ca), cert: pem(cert), key: key.toString() }
}

function certificate(unsigned: Buffer, key: KeyObject): Buffer {
  const signature = sign("sha256", unsigned, { key, dsaEncoding: "der" })
  return seq(unsigned, seq(objectId(oid.ecdsaWithSha256)), bits(signature))
}

/** One DER value: tag, length, content. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), length(content.length), content])
}

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size])
  return size < 0x100 ? Buffer.from([0x81, size]) : Buffer.from([0x82, size >> 8, size & 0xff])
}

const seq = (...parts: Uint8Array[]) => der(0x30, ...parts)
const context = (n: number, content: Uint8Array) => der(0xa0 + n, content)
const objectId = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const boolean = (value: boolean) => der(0x01, Buffer.from([value ? 0xff : 0]))
const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content)

/**
 * A number that is never negative: if its first bit is one, a zero byte goes before it. It has no leading
 * zeros, which DER forbids.
 */
function integer(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0)
  const digits = start === -1 ? Buffer.from([0]) : bytes.subarray(start)
  return der(0x02, (digits[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), digits]) : digits)
}

function extension(id: string, value: Buffer): Buffer {
  return seq(objectId(id), boolean(true), der(0x04, value))
}

function name(commonName: string): Buffer {
  return seq(der(0x31, seq(objectId(oid.commonName), der(0x0c, Buffer.from(commonName)))))
}

/** RFC 5280, 4.1.2.5: UTCTime through 2049, GeneralizedTime after. */
function time(at: number): Buffer {
  const digits = new Date(at).toISOString().slice(0, 19).replace(/\D/g, "")
  const short = digits < "2050"
  return der(short ? 0x17 : 0x18, Buffer.from(`${short ? digits.slice(2) : digits}Z`))
}

function pem(content: Buffer): string {
  const lines = content.toString("base64").match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`
}
