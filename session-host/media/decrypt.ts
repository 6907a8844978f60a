import { createDecipheriv, createHash, createHmac, timingSafeEqual } from "node:crypto"
import { createReadStream } from "node:fs"
import { open, stat } from "node:fs/promises"
import { FilesOnDisk } from "#core/files/files-on-disk.ts"
import type { Media } from "../network/connection.ts"
import { keysForKind, macBytes } from "./keys.ts"

/** The file differs from what its message says. */
export class Damaged extends Error {}

/**
 * Decrypts a received file into another beside it, after verifying its MAC and both hashes.
 * @throws Damaged. ApiError `storage_full`, `file_limit_reached`
 */
export async function decryptFile(path: string, media: Media): Promise<string> {
  const { size } = await stat(path)
  const keys = keysForKind(media.mediaKey, media.kind)
  if (size <= macBytes) throw new Damaged("too short")
  await check(path, size, media, keys)

  const decipher = createDecipheriv("aes-256-cbc", keys.cipherKey, keys.iv)
  const hash = createHash("sha256")
  async function* decrypted(): AsyncGenerator<Buffer> {
    for await (const chunk of ciphertext(path, size)) {
      const bytes = decipher.update(chunk)
      FilesOnDisk.freeMemoryOf(chunk)
      hash.update(bytes)
      yield bytes
    }
    const last = final(decipher)
    hash.update(last)
    yield last
  }
  const to = `${path}.plain`
  await FilesOnDisk.write(to, size, decrypted())
  if (!isEqual(hash.digest(), media.fileSha256)) throw new Damaged("another file")
  return to
}

async function check(path: string, size: number, media: Media, keys: ReturnType<typeof keysForKind>) {
  const mac = createHmac("sha256", keys.macKey).update(keys.iv)
  const hash = createHash("sha256")
  for await (const chunk of ciphertext(path, size)) {
    mac.update(chunk)
    hash.update(chunk)
    FilesOnDisk.freeMemoryOf(chunk)
  }
  const tag = await tagOf(path, size)
  hash.update(tag)
  if (!isEqual(mac.digest().subarray(0, macBytes), tag)) throw new Damaged("wrong MAC")
  if (!isEqual(hash.digest(), media.fileEncSha256)) throw new Damaged("another ciphertext")
}

function ciphertext(path: string, size: number): AsyncIterable<Buffer> {
  // Without an encoding, a stream yields buffers.
  return createReadStream(path, { end: size - macBytes - 1 }) as AsyncIterable<Buffer>
}

async function tagOf(path: string, size: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(macBytes), 0, macBytes, size - macBytes)
    return buffer
  } finally {
    await file.close()
  }
}

/**
 * The last block. Throws for ciphertext that is authentic but no whole number of blocks, or badly padded: its
 * sender made it so.
 */
function final(decipher: ReturnType<typeof createDecipheriv>): Buffer {
  try {
    return decipher.final()
  } catch (error) {
    throw new Damaged("not padded", { cause: error })
  }
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
