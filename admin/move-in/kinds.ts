import { Unusable } from "#one-machine/backup/unusable.ts"
import type { FindSessions, Found } from "./found-session.ts"

/** The readers of each kind of gateway. Some gateways keep sessions in several ways, by their engine. */
const readers = {
  baileys: [async () => (await import("./baileys.ts")).findBaileys],
  waha: [
    async () => (await import("./noweb.ts")).findNoweb,
    async () => (await import("./whatsmeow.ts")).findGows,
  ],
  gowa: [async () => (await import("./whatsmeow.ts")).findInWhatsmeow],
  whatsmeow: [async () => (await import("./whatsmeow.ts")).findInWhatsmeow],
} satisfies Record<string, (() => Promise<FindSessions>)[]>

export type Kind = keyof typeof readers

export const kinds = Object.keys(readers) as Kind[]

export function isKind(word: string): word is Kind {
  return Object.hasOwn(readers, word)
}

/** Looks for the sessions of a gateway. @throws Unusable when no reader finds any */
export async function find(kind: Kind, where: string[]): Promise<Found> {
  const found: Found[] = []
  const why: string[] = []
  for (const reader of readers[kind])
    try {
      found.push(await (await reader())(where))
    } catch (error) {
      if (!(error instanceof Unusable)) throw error
      why.push(error.message)
    }
  if (found.length === 0) throw new Unusable(why.join("; "))
  return {
    sessions: found.flatMap(({ sessions }) => sessions),
    refused: found.flatMap(({ refused }) => refused),
    close: async () => void (await Promise.all(found.map((one) => one.close()))),
  }
}
