import { createCipheriv, createHash, createHmac, randomBytes } from "node:crypto"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { FilesOnDisk } from "#core/files/files-on-disk.ts"
import { keysForKind, macBytes } from "./keys.ts"
import type { Kind } from "./kind-and-content-type.ts"

/** A file in the form in which it goes to the network. */
export interface Encrypted {
  path: string
  mediaKey: Buffer
  fileSha256: Buffer
  fileEncSha256: Buffer
  fileLength: number
}

/** The padding takes a block at most (PKCS #7). */
const paddingBytes = 16

/**
 * Encrypts a file, under a key of its own, into another beside it.
 * @throws ApiError `storage_full`, `file_limit_reached`
 */
export async function encryptFile(path: string, kind: Kind): Promise<Encrypted> {
  const mediaKey = randomBytes(32)
  const { iv, cipherKey, macKey } = keysForKind(mediaKey, kind)
  const cipher = createCipheriv("aes-256-cbc", cipherKey, iv)
  const mac = createHmac("sha256", macKey).update(iv)
  const [plain, sealed] = [createHash("sha256"), createHash("sha256")]
  let fileLength = 0

  async function* encrypted(): AsyncGenerator<Buffer> {
    // Without an encoding, a stream yields buffers.
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      fileLength += chunk.length
      plain.update(chunk)
      const bytes = cipher.update(chunk)
      FilesOnDisk.freeMemoryOf(chunk)
      yield counted(bytes)
    }
    yield counted(cipher.final())
    const tag = mac.digest().subarray(0, macBytes)
    sealed.update(tag)
    yield tag
  }
  function counted(bytes: Buffer): Buffer {
    mac.update(bytes)
    sealed.update(bytes)
    return bytes
  }

  const to = `${path}.enc`
  const { size } = await stat(path)
  await FilesOnDisk.write(to, size + paddingBytes + macBytes, encrypted())
  return { path: to, mediaKey, fileSha256: plain.digest(), fileEncSha256: sealed.digest(), fileLength }
}
