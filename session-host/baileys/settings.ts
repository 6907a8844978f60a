import type { WASocket } from "@whiskeysockets/baileys"
import type { Keys } from "./keys.ts"

/** The account's push name, and its address book. */
const collections = ["critical_block", "critical_unblock_low"] as const

/**
 * Reads what was set before the device was linked. Later changes Baileys reads by itself; the first reading it does only
 * for those who take all of a phone's history. That it was read is kept only once what it said of people is durable:
 * else a connection that ends in between would leave a session without its address book for good.
 */
export function newSettings(input: {
  sock: Pick<WASocket, "resyncAppState" | "ev">
  keys: Pick<Keys, "get" | "atomically">
  isOpen: () => boolean
  /** Resolves when all that was told of people is durable; rejects when that will not be. */
  peopleLearned: () => Promise<void>
  onError: (error: unknown) => void
}) {
  let turn = Promise.resolve()

  async function read(): Promise<void> {
    const { sock, keys, isOpen, peopleLearned } = input
    if (!isOpen()) return
    const known = await keys.get("app-state-sync-version", [...collections])
    const missing = collections.filter((name) => !known[name])
    if (missing.length === 0) return
    await keys.atomically(async () => {
      await sock.resyncAppState(missing, false)
      // Baileys tells of what it read a moment later.
      sock.ev.flush()
      await peopleLearned()
    })
  }

  return {
    /** To be called after each login, and when the phone has told a key: before, nothing can be opened. */
    readIfNew: () => {
      turn = turn.then(read).catch(input.onError)
    },
  }
}
