import { randomBytes } from "node:crypto"
import { now } from "#core/platform/clock.ts"

/**
 * How long a code lives, in s: the first for 60, each further one for 20, as with Baileys and WhatsApp Web.
 */
const lifetimes = { first: 60, further: 20 }

export interface Code {
  text: string
  /** Unix seconds. */
  expiresAt: number
}

/** The codes of one pairing, in the order in which they come. */
export function newCodes() {
  let current: Code | undefined
  return {
    /** The next code, with the secret that is valid now. */
    next(text: string, advSecretKey: string): Code {
      const lifetime = current ? lifetimes.further : lifetimes.first
      current = { text: withSecret(text, advSecretKey), expiresAt: now() + lifetime }
      return current
    },
    /** The code on show, with a new secret; none is on show before the first. */
    again(advSecretKey: string): Code | undefined {
      if (current) current = { ...current, text: withSecret(current.text, advSecretKey) }
      return current
    },
  }
}

export function newAdvSecret(): string {
  return randomBytes(32).toString("base64")
}

/**
 * The code with this secret. Its text ends with the secret and the platform; the part before may contain
 * commas, too.
 */
function withSecret(text: string, advSecretKey: string): string {
  const fields = text.split(",")
  return [...fields.slice(0, -2), advSecretKey, ...fields.slice(-1)].join(",")
}
