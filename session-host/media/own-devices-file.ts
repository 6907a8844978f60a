import { createDecipheriv, createHmac, timingSafeEqual } from "node:crypto"
import { setImmediate as nextTurn } from "node:timers/promises"
import { type Connections, safeFetch } from "#core/fetch/safe-fetch.ts"
import type { MediaHost } from "../network/connection.ts"
import { Damaged } from "./decrypt.ts"
import { urlOf } from "./download.ts"
import { keysForUse, macBytes } from "./keys.ts"

/** The most time that a file may take, in ms, and its largest size, in bytes. */
const withinMs = 60_000
const maxBytes = 100_000_000

/** Where the network keeps a file of an account's own devices, and the key that opens it. */
interface Where {
  directPath?: string | null
  mediaKey?: Uint8Array | null
}

/**
 * A file that an account's devices share (`App State`, `History`), decrypted piece by piece after its MAC is
 * verified.
 * @throws Damaged, FetchError; Error if the network does not return it
 */
export async function* downloadOwnDevicesFile(
  where: Where,
  use: "App State" | "History",
  { host, connections }: MediaHost,
): AsyncGenerator<Uint8Array> {
  const keys = keysForUse(where.mediaKey ?? Buffer.alloc(0), use)
  const sealed = await fetched(urlOf({ directPath: where.directPath ?? "", url: "" }, host), connections())
  const ciphertext = withoutMac(sealed)
  const mac = createHmac("sha256", keys.macKey).update(keys.iv)
  for (const chunk of ciphertext) {
    mac.update(chunk)
    await nextTurn()
  }
  const tag = Buffer.concat(sealed.slice(-macBytes)).subarray(-macBytes)
  if (tag.length < macBytes) throw new Damaged("too short")
  if (!timingSafeEqual(mac.digest().subarray(0, macBytes), tag)) throw new Damaged("wrong MAC")

  const decipher = createDecipheriv("aes-256-cbc", keys.cipherKey, keys.iv)
  for (const chunk of ciphertext) yield decipher.update(chunk)
  yield decipher.final()
}

async function fetched(url: string, connections: Connections): Promise<Uint8Array[]> {
  try {
    const headers = { origin: "https://web.whatsapp.com" }
    const answer = await safeFetch({
      url,
      connections,
      share: "network",
      method: "GET",
      headers,
      withinMs,
      maxBytes,
    })
    if (answer.status !== 200) throw new Error(`the network did not give a file: ${answer.status}`)
    return await Array.fromAsync(answer.body)
  } finally {
    await connections.destroy()
  }
}

/** Drops the MAC at the end of the file, which may span several chunks. */
function withoutMac(sealed: Uint8Array[]): Uint8Array[] {
  let left = sealed.reduce((sum, { length }) => sum + length, 0) - macBytes
  return sealed.flatMap((chunk) => {
    const some = chunk.subarray(0, Math.max(0, left))
    left -= chunk.length
    return some.length > 0 ? [some] : []
  })
}
