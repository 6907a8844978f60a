import type { Commits } from "./commits.ts"
import type { Inbound } from "./inbound.ts"
import { parked, parkedKeys } from "./parked.ts"
import type { SessionStore } from "./store.ts"

/** Says which code has tried all that is parked. */
const triedSk = "PARKED"

/** So many are read in one request. */
const together = 20

interface Input {
  store: SessionStore
  commits: Pick<Commits, "note">
  inbound: Pick<Inbound, "tryAgain">
  /** Which code this is. */
  version: string
}

/**
 * Tries once more what no mapper could read, once for each version of the code. Strangers may have sent thousands, so this
 * runs beside all else, and what becomes events now comes after what has arrived meanwhile.
 * @throws SessionEnded
 */
export async function readParkedAgain({ store, commits, inbound, version }: Input): Promise<void> {
  const tried = await store.get(triedSk)
  if (tried?.row.version === version) return
  const keys = await parkedKeys(store, "PARKED#")
  for (let at = 0; at < keys.length; at += together)
    for (const { received, removal } of await parked(store, keys.slice(at, at + together)))
      await inbound.tryAgain(received, removal)
  if (keys.length > 0) commits.note([store.put(triedSk, "", { version })])
}
