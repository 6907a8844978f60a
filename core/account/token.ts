import { createHash, randomBytes } from "node:crypto"

/** A secret for a link or a cookie: 256 bits, in characters that both take. */
export function newToken(): string {
  return randomBytes(32).toString("base64url")
}

/** The form in which a token is stored. It has too many bits to be guessed from its hash. */
export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url")
}

/** Whether this can be a token of ours. Anything else is not looked up. */
export function isToken(given: string): boolean {
  return /^[\w-]{43}$/.test(given)
}
