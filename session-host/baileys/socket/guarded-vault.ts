import { TooLarge } from "#session-host/memory/too-large.ts"
import type { Vault } from "#session-host/network/connection.ts"

/**
 * The vault as one connection may use it: only while the connection lives, for what came too late would overwrite what
 * the next connection has written; and when it fails, the connection is closed before anyone hears of it, for Baileys
 * would answer with a refusal, and what was refused never comes back. Only of what can never be kept Baileys may hear.
 */
export function guard(vault: Vault, ended: () => boolean, close: (detail: string) => void): Vault {
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (ended()) throw new Error("the connection has ended")
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof TooLarge)) close("the store failed")
      throw error
    }
  }
  return {
    gate: vault.gate,
    get creds() {
      return vault.creds
    },
    keys: (type, ids) => guarded(() => vault.keys(type, ids)),
    keep: (change) => guarded(() => vault.keep(change)),
    foresee: (attrs) => vault.foresee(attrs),
    ignores: (attrs) => vault.ignores(attrs),
    isSeen: (received) => guarded(() => vault.isSeen(received)),
    isToSkip: () => guarded(() => vault.isToSkip()),
    sent: (messageId) => guarded(() => vault.sent(messageId)),
  }
}
