import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { z } from "zod"
import { need } from "./config.ts"

/** What a data key is for, and so which wrapping key it is under. Only session hosts may use `session`. */
export type Purpose = "session" | "delivery"

/** Whose data key it is: bound into the wrapping. */
export interface Owner {
  accountId: string
  bridgeId: string
}

const File = z.object({ session: z.base64(), delivery: z.base64() })

let keys: z.infer<typeof File> | undefined

/** The wrapping keys of one machine, as they are written to their file. */
export function newWrappingKeys(): z.infer<typeof File> {
  return { session: randomBytes(32).toString("base64"), delivery: randomBytes(32).toString("base64") }
}

/** A new data key of a bridge, and its wrapped form. */
export function newDataKey(purpose: Purpose, owner: Owner): { key: Buffer; wrapped: Buffer } {
  const key = randomBytes(32)
  const nonce = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", wrappingKey(purpose), nonce).setAAD(context(purpose, owner))
  const wrapped = Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()])
  return { key, wrapped }
}

/** @throws when the wrapping is another bridge's, for another purpose, or under another wrapping key. */
export function unwrap(purpose: Purpose, owner: Owner, wrapped: Uint8Array): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", wrappingKey(purpose), wrapped.subarray(0, 12))
  decipher.setAAD(context(purpose, owner)).setAuthTag(wrapped.subarray(-16))
  return Buffer.concat([decipher.update(wrapped.subarray(12, -16)), decipher.final()])
}

function wrappingKey(purpose: Purpose): Buffer {
  keys ??= File.parse(JSON.parse(readFileSync(need("WRAPPING_KEYS_FILE"), "utf8")))
  return Buffer.from(keys[purpose], "base64")
}

function context(purpose: Purpose, owner: Owner): Buffer {
  return Buffer.from(`${purpose}/${owner.accountId}/${owner.bridgeId}`)
}
