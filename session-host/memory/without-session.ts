import { Choice } from "#core/bridge/choice.ts"
import type { Row } from "#core/store/store.ts"
import type { UnitWrite } from "./next-batch.ts"
import { SessionStore } from "./rows.ts"
import { type Creds, credsOf, credsSk, SessionVault } from "./vault.ts"

/** The bridge, and the key under which its rows are sealed. */
export interface Rows {
  bridgeId: string
  sessionKey: Uint8Array
}

/**
 * The rows of a bridge that no session has: it has stopped, or has not arrived. What is made here is durable
 * only once the caller has written what `taken` gives.
 */
export function withoutSession({ bridgeId, sessionKey }: Rows) {
  // A failure of the store is the caller's to tell.
  const store = new SessionStore({ bridgeId, sessionKey, patience: { read: async (ask) => await ask() } })
  const made: UnitWrite[] = []
  const make = (writes: UnitWrite[]) => made.push(...writes)
  const nothingWaits = { made: 0, kept: 0, isFull: false, whenKept: async () => {} }
  const vaultOf = (login: Creds) =>
    new SessionVault(
      { store, commits: { ...nothingWaits, make }, choice: () => Choice.Info.parse({}) },
      login,
    )
  return {
    store,
    make,
    /** The vault of a login that begins here. */
    newVault: () => vaultOf({ generation: 1, creds: undefined }),
    /** The vault of the login that the rows have. */
    vault: async () => vaultOf(credsOf(await store.get(credsSk))),
    /** The rows that were made since the last call. @throws RowTooLarge */
    taken: (): Row[] => {
      store.mustFit(made)
      const writes = made.splice(0).map((write) => ("sk" in write ? store.toWrite(write) : write))
      return writes.flatMap(({ Put }) => (Put ? [Put.Item] : []))
    },
  }
}
