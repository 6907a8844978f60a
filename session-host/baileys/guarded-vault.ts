import { RowTooLarge } from "../memory/rows.ts"
import type { Vault } from "../network/connection.ts"

/**
 * The vault as one connection may use it. It works only while the connection lives: a later write would overwrite those
 * of the next connection. When the vault fails, the connection is closed before Baileys hears of it. Baileys would
 * answer with a refusal, and a message that was refused never comes back. Baileys hears only of a message that can
 * never be kept.
 */
export function guard(vault: Vault, ended: () => boolean, close: (detail: string) => void): Vault {
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (ended()) throw new Error("the connection has ended")
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof RowTooLarge)) close("the store failed")
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
    forgetsSome: () => vault.forgetsSome(),
    isSeen: (received) => guarded(() => vault.isSeen(received)),
    get isSkipWanted() {
      return vault.isSkipWanted
    },
    isToSkip: () => guarded(() => vault.isToSkip()),
    sent: (messageId) => guarded(() => vault.sent(messageId)),
  }
}
