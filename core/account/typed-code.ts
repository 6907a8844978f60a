import { createHmac, randomInt } from "node:crypto"
import { need } from "../platform/config.ts"

/**
 * Without letters and digits that look alike, and without vowels: no code is a word. Eight of them are 38
 * bits.
 */
const alphabet = "23456789BCDFGHJKMNPQRSTVWXYZ"

/** A secret that people type. */
export function newTypedCode(): string {
  return Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join("")
}

/** A code as people see it. */
export function inHalves(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** A code as it was made. People type small letters, spaces and dashes as they like. */
export function fromTyped(code: string): string {
  return code.toUpperCase().replaceAll(/[^0-9A-Z]/g, "")
}

/**
 * The form in which a typed code is stored. A plain hash would not do: the code is short enough to be guessed
 * from it. `purpose`: what the code is for.
 */
export function hmacOfCode(purpose: string, code: string): Buffer {
  return createHmac("sha256", need("API_KEY_PEPPER")).update(`${purpose} ${code}`).digest()
}
