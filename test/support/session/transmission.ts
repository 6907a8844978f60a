import type { Transmission } from "#session-host/send/transmission.ts"

/** A transmission to which nothing has happened yet, except what is given. */
export function aTransmission(so: Partial<Transmission> = {}): Transmission {
  return {
    chat: "1@lid",
    unkept: undefined,
    maybeKept: false,
    built: false,
    handed: false,
    abandoned: false,
    ...so,
  }
}
