import { createCipheriv, createDecipheriv, randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { type FileHandle, open } from "node:fs/promises"
import { Unusable } from "./unusable.ts"

/*
 * The format of the file of a backup or an export. Its first line is readable: `messaging-bridge <kind>
 * <version> <service>`. Then come a salt, a check of the passphrase, and the content in chunks, each sealed
 * with AES-256-GCM under a key that scrypt makes of the passphrase. The nonce of a chunk is its number and
 * whether it is the last one (the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár, 2015):
 * chunks that are missing, moved or cut off are noticed.
 */

const version = 1
const saltBytes = 16
const checkBytes = 32
const tagBytes = 16
/** How much is sealed at once, in bytes. */
const chunkBytes = 1 << 20

/**
 * OWASP's recommendation for 64 MB of memory. These figures belong to the version of the format. Tests lower
 * them.
 */
export const scryptCost = { N: 2 ** 16, r: 8, p: 2, maxmem: 2 ** 27 }

/** What is in a file: all of a service, or bridges that leave it. */
export type Kind = "backup" | "export"

/** What has to be read first to open a file. */
interface Header {
  salt: Buffer
  check: Buffer
  /** The whole header, which each chunk is bound to. */
  bytes: Buffer
}

/** Writes all content into a new file, for its owner alone. It is on the disk itself when this resolves. */
export async function writeSealed(
  path: string,
  { kind, passphrase, service }: { kind: Kind; passphrase: string; service: string },
  content: AsyncIterable<Buffer>,
): Promise<void> {
  const salt = randomBytes(saltBytes)
  const { key, check } = await derived(passphrase, salt)
  const header = Buffer.concat([Buffer.from(`messaging-bridge ${kind} ${version} ${service}\n`), salt, check])
  const file = await open(path, "wx", 0o600)
  try {
    await file.appendFile(header)
    let number = 0
    for await (const { chunk, isLast } of inChunks(content)) {
      const cipher = createCipheriv("aes-256-gcm", key, nonceOf(number++, isLast)).setAAD(header)
      await file.appendFile(Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]))
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * The content of a file, piece by piece. Each piece is proven to be as it was sealed. That nothing is missing
 * is proven once all of them were read.
 * @throws Unusable
 */
export async function* readSealed(kind: Kind, path: string, passphrase: string): AsyncGenerator<Buffer> {
  const file = await open(path, "r").catch((error: Error) => {
    throw new Unusable(`${path} cannot be read: ${error.message}`)
  })
  try {
    const header = await headerOf(file, path, kind)
    const { key, check } = await derived(passphrase, header.salt)
    if (!timingSafeEqual(check, header.check)) throw new Unusable(`${path} was made with another passphrase`)
    let left = (await file.stat()).size - header.bytes.length
    for (let number = 0, isLast = false; !isLast; number++) {
      isLast = left <= chunkBytes + tagBytes
      const sealed = await exactly(file, Math.min(left, chunkBytes + tagBytes))
      left -= sealed.length
      const plain = unsealed(sealed, { key, nonce: nonceOf(number, isLast), header })
      if (!plain) throw new Unusable(`${path} is cut or damaged`)
      yield plain
    }
  } finally {
    await file.close()
  }
}

/** The longest first line of any version, in bytes. */
const longestLine = 100

async function headerOf(file: FileHandle, path: string, kind: Kind): Promise<Header> {
  const start = Buffer.alloc(longestLine + saltBytes + checkBytes)
  const { bytesRead } = await file.read(start, 0, start.length, 0)
  const end = start.indexOf("\n") + 1
  const line = start.toString("latin1", 0, end)
  const [, its, found] = /^messaging-bridge (\w+) (\d+) [0-9a-f]+\n$/.exec(line) ?? []
  if (its !== kind)
    throw new Unusable(`${path} is not ${kind === "backup" ? "a backup of this service's" : "an export"}`)
  if (Number(found) !== version)
    throw new Unusable(
      `${path} has format ${found}, and this version reads format ${version}: use the version that made it`,
    )
  const length = end + saltBytes + checkBytes
  if (bytesRead < length) throw new Unusable(`${path} is cut or damaged`)
  // Moves the file's position to the end of the header.
  await file.read(Buffer.alloc(length), 0, length, null)
  return {
    salt: start.subarray(end, end + saltBytes),
    check: start.subarray(end + saltBytes, length),
    bytes: start.subarray(0, length),
  }
}

interface Derived {
  key: Buffer
  check: Buffer
}

/**
 * The latest keys that scrypt made, which takes a second. They are needed twice: a file is written and then
 * checked, or checked and then read.
 */
let latest: { passphrase: string; salt: Buffer; made: Derived } | undefined

async function derived(passphrase: string, salt: Buffer): Promise<Derived> {
  if (latest?.passphrase === passphrase && latest.salt.equals(salt)) return latest.made
  const made = await derive(passphrase, salt)
  latest = { passphrase, salt: Buffer.from(salt), made }
  return made
}

async function derive(passphrase: string, salt: Buffer): Promise<Derived> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  scrypt(passphrase.normalize(), salt, 32 + checkBytes, scryptCost, (error, bytes) =>
    error ? reject(error) : resolve(bytes),
  )
  const bytes = await promise
  return { key: bytes.subarray(0, 32), check: bytes.subarray(32) }
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(number))
  nonce[11] = isLast ? 1 : 0
  return nonce
}

function unsealed(
  sealed: Buffer,
  { key, nonce, header }: { key: Buffer; nonce: Buffer; header: Header },
): Buffer | undefined {
  if (sealed.length < tagBytes) return undefined
  const decipher = createDecipheriv("aes-256-gcm", key, nonce).setAAD(header.bytes)
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()])
  } catch {
    // The tag says that these are other bytes.
    return undefined
  }
}

async function exactly(file: FileHandle, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  let at = 0
  while (at < length) {
    const { bytesRead } = await file.read(bytes, at, length - at, null)
    if (bytesRead === 0) break
    at += bytesRead
  }
  return bytes.subarray(0, at)
}

/** Cuts the content into chunks of one size; only the last one, which there always is, may be shorter. */
async function* inChunks(content: AsyncIterable<Buffer>): AsyncGenerator<{ chunk: Buffer; isLast: boolean }> {
  let waiting = Buffer.alloc(0)
  for await (const bytes of content) {
    waiting = Buffer.concat([waiting, bytes])
    while (waiting.length > chunkBytes) {
      yield { chunk: waiting.subarray(0, chunkBytes), isLast: false }
      waiting = waiting.subarray(chunkBytes)
    }
  }
  yield { chunk: waiting, isLast: true }
}
