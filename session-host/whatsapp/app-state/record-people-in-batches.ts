import { setImmediate as nextTurn } from "node:timers/promises"
import type { LIDMapping, WASocket } from "@whiskeysockets/baileys"
import type { Vault } from "#session-host/network/connection.ts"
import type { Acquaintance } from "#session-host/network/happening.ts"
import { addressPair } from "./people.ts"

interface Input {
  sock: Pick<WASocket, "signalRepository">
  vault: Pick<Vault, "change" | "gate">
  /** Resolves when the people are recorded. Rejects when they will not be, since the connection has ended. */
  learn: (people: Acquaintance[]) => Promise<void>
}

/** How many people, or entries that may name people, are recorded at a time. */
export const atATime = 100

/**
 * Records the people of long lists, a batch at a time. Resolves when they are durable, and other work has had
 * its turn. A list of 50,000 must neither stop its host nor fill its memory.
 */
export type RecordPeople = (found: { people: Acquaintance[]; pairs: LIDMapping[] }) => Promise<void>

export function newRecordPeople({ sock, vault, learn }: Input): RecordPeople {
  return async (found) => {
    const { pairs } = found
    const people = [...found.people, ...pairs.map(addressPair)]
    for (let at = 0; at < people.length; at += atATime) await learn(people.slice(at, at + atATime))
    for (let at = 0; at < pairs.length; at += atATime)
      await sock.signalRepository.lidMapping.storeLIDPNMappings(pairs.slice(at, at + atATime))
    // People are notes, which no frame waits for. This empty unit comes after them: when it is durable, so
    // are they.
    await vault.change({})
    await vault.gate.whenKept(vault.gate.made)
    await nextTurn()
  }
}
