import { Unusable } from "#one-machine/backup/unusable.ts"
import type { FindSessions, Found } from "./found-session.ts"

const inWhatsmeow = async () => (await import("./whatsmeow.ts")).findInWhatsmeow

/** The readers of each kind of gateway. WAHA keeps sessions in two ways, by their engine. */
const readers = {
  evolution: [async () => (await import("./evolution.ts")).findEvolution],
  waha: [
    async () => (await import("./noweb.ts")).findNoweb,
    async () => (await import("./whatsmeow.ts")).findGows,
  ],
  gowa: [inWhatsmeow],
  baileys: [async () => (await import("./baileys.ts")).findBaileys],
  whatsmeow: [inWhatsmeow],
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
