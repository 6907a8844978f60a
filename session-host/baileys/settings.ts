import type { WASocket } from "@whiskeysockets/baileys"
import type { Keys } from "./keys.ts"

/** The account's push name, and its address book. */
const collections = ["critical_block", "critical_unblock_low"] as const

/**
 * Reads what was set before the device was linked. Later changes Baileys reads by itself; the first reading it does only
 * for those who take all of a phone's history.
 */
export function newSettings(input: {
  sock: Pick<WASocket, "resyncAppState">
  keys: Pick<Keys, "get">
  isOpen: () => boolean
  onError: (error: unknown) => void
}) {
  let turn = Promise.resolve()

  async function read(): Promise<void> {
    const { sock, keys, isOpen } = input
    if (!isOpen()) return
    const known = await keys.get("app-state-sync-version", [...collections])
    const missing = collections.filter((name) => !known[name])
    if (missing.length > 0) await sock.resyncAppState(missing, false)
  }

  return {
    /** To be called after each login, and when the phone has told a key: before, nothing can be opened. */
    readIfNew: () => {
      turn = turn.then(read).catch(input.onError)
    },
  }
}
