import type { Transmission } from "#session-host/baileys/transmission.ts"

/** One of which nothing has happened yet, but for what is said. */
export function aTransmission(so: Partial<Transmission> = {}): Transmission {
  return {
    chat: "1@lid",
    unkept: undefined,
    maybeKept: false,
    encrypted: false,
    handed: false,
    abandoned: false,
    ...so,
  }
}
