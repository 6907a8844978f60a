import { randomInt } from "node:crypto"
import { crc32 } from "node:zlib"

// The secret that a customer holds of an API key: `mbk_`, 12 characters of id, `_`, 32 of secret, 6 of
// checksum.

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const shape = /^mbk_([0-9A-Za-z]{12})_[0-9A-Za-z]{38}$/

export function newSecretKey(): string {
  const unchecked = `mbk_${random(12)}_${random(32)}`
  return unchecked + checksum(unchecked)
}

/** The id within a key; `""` if it is none. */
export function idOf(secretKey: string): string {
  return shape.exec(secretKey)?.[1] ?? ""
}

/** Whether it can be a key: nothing of it is missing or mistyped. */
export function isWhole(secretKey: string): boolean {
  return shape.test(secretKey) && checksum(secretKey.slice(0, -6)) === secretKey.slice(-6)
}

function random(length: number): string {
  return Array.from({ length }, () => base62[randomInt(62)]).join("")
}

function checksum(text: string): string {
  let rest = crc32(text)
  let out = ""
  for (let i = 0; i < 6; i++) {
    out = base62[rest % 62] + out
    rest = Math.floor(rest / 62)
  }
  return out
}
