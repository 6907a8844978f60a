import type { Commits } from "../memory/commits.ts"
import type { SessionStore } from "../memory/rows.ts"
import type { SessionIntake } from "./intake.ts"
import { readParked, parkedKeys } from "./parked.ts"

/** The key of the row that says which version of the code has tried all parked messages. */
const triedSk = "PARKED"

/** How many messages are read in one request. */
const together = 20

interface Input {
  store: SessionStore
  commits: Pick<Commits, "note">
  intake: Pick<SessionIntake, "tryAgain">
  /** The version of the running code. */
  version: string
}

/**
 * Tries to read every parked message again, once for each version of the code. Strangers may have sent
 * thousands, so this runs beside everything else; messages that now become events come after newer ones.
 * @throws SessionEnded
 */
export async function readParkedAgain({ store, commits, intake, version }: Input): Promise<void> {
  const tried = await store.get(triedSk)
  if (tried?.row.version === version) return
  const keys = await parkedKeys(store, "PARKED#")
  for (let at = 0; at < keys.length; at += together)
    for (const parked of await readParked(store, keys.slice(at, at + together))) await intake.tryAgain(parked)
  if (keys.length > 0) commits.note([store.put(triedSk, "", { version })])
}
