import { setImmediate as nextTurn } from "node:timers/promises"
import type { Contact, LIDMapping, WASocket } from "@whiskeysockets/baileys"
import type { Acquaintance, Vault } from "#session-host/network/connection.ts"
import { known, pair } from "./listen-for-people.ts"

interface Input {
  sock: Pick<WASocket, "signalRepository">
  vault: Pick<Vault, "keep" | "gate">
  /** Resolves when they are taken down; rejects when that will not be: the connection has ended. */
  learn: (people: Acquaintance[]) => Promise<void>
}

/** How many people, or entries that may name some, are taken down at a time. */
export const atATime = 100

/**
 * Takes down the people of long lists, some at a time. Resolves when these are durable, and everybody else has had a turn. A
 * list of 50,000 must neither stop its host nor fill its memory.
 */
export type RecordPeople = (told: { contacts: Partial<Contact>[]; pairs: LIDMapping[] }) => Promise<void>

export function newRecordPeople({ sock, vault, learn }: Input): RecordPeople {
  return async ({ contacts, pairs }) => {
    const people = [...contacts.flatMap(known), ...pairs.map(pair)]
    for (let at = 0; at < people.length; at += atATime) await learn(people.slice(at, at + atATime))
    for (let at = 0; at < pairs.length; at += atATime)
      await sock.signalRepository.lidMapping.storeLIDPNMappings(pairs.slice(at, at + atATime))
    // People are notes: later units are durable after them.
    await vault.keep({})
    await vault.gate.whenKept(vault.gate.made)
    await nextTurn()
  }
}
