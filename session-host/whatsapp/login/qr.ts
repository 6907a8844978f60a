import { randomBytes } from "node:crypto"
import { now } from "#core/platform/clock.ts"

/** How long a code lives: the first 60 s, each further one 20 s (as Baileys and WhatsApp Web). */
const lifetimes = { first: 60, further: 20 }

export interface Code {
  text: string
  /** Unix seconds. */
  expiresAt: number
}

/** The codes of one pairing, as they come. */
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

/** The text ends with secret and platform. The part before may hold commas, too. */
function withSecret(text: string, advSecretKey: string): string {
  const fields = text.split(",")
  return [...fields.slice(0, -2), advSecretKey, ...fields.slice(-1)].join(",")
}
