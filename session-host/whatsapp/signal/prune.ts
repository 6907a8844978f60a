/** Chains of the other side that a session keeps, as in Signal's own library. */
const receivingChains = 5
/**
 * How many keys of skipped messages a record keeps, in all its sessions. One message can make a record skip
 * 2,000 keys, and so can the next: strangers decide how many.
 */
const skippedKeys = 1_000

/** libsignal's number for a chain of the other side. */
const receiving = 2

/** A record of Signal sessions, as libsignal serialises it; only what is looked at is named. */
export interface SerialisedRecord {
  _sessions: Record<string, Session>
}

interface Session {
  indexInfo: { closed: number; used: number }
  /** In the order in which they began. */
  _chains: Record<string, { chainType: number; messageKeys: Record<string, string> }>
}

/** A sender's keys for one group, as Baileys keeps them: in the order in which they came. */
export type SenderKeys = { senderSigningKey: { private: Buffer }; senderMessageKeys: unknown[] }[]

/** Removes from a record what time and strangers would make larger without end: the oldest goes first. */
export function pruneRecord({ _sessions: sessions }: SerialisedRecord): void {
  let left = skippedKeys
  for (const { _chains: chains } of Object.values(sessions).toSorted((a, b) => rank(b) - rank(a))) {
    const theirs = Object.keys(chains).filter((key) => chains[key]?.chainType === receiving)
    for (const key of theirs.slice(0, -receivingChains)) delete chains[key]
    for (const { messageKeys } of Object.values(chains).toReversed()) {
      // JavaScript lists numeric names in ascending order, whatever order they came in.
      const numbers = Object.keys(messageKeys)
      const tooMany = Math.max(0, numbers.length - left)
      for (const number of numbers.slice(0, tooMany)) delete messageKeys[number]
      left -= numbers.length - tooMany
    }
  }
}

/**
 * Removes the oldest keys of skipped messages from a sender's keys, and all of them from our own: we read no
 * messages of our own, and yet Baileys skips a key with each.
 */
export function pruneSenderKeys(states: SenderKeys): void {
  let left = skippedKeys
  for (const { senderSigningKey: signing, senderMessageKeys: keys } of states.toReversed()) {
    // The key is bytes, or their form in JSON.
    const isOurs = Buffer.from(signing.private).length > 0
    keys.splice(0, isOurs ? keys.length : Math.max(0, keys.length - left))
    left -= keys.length
  }
}

/** The session that is open, then those that were used last. */
function rank({ indexInfo }: Session): number {
  return indexInfo.closed === -1 ? Infinity : indexInfo.used
}
