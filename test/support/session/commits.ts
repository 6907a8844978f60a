import { randomBytes } from "node:crypto"
import type { Lease } from "#core/lease/lease.ts"
import { Commits } from "#session-host/memory/commits.ts"
import { Patience } from "#session-host/memory/patience.ts"
import { SessionStore } from "#session-host/memory/rows.ts"
import type { SessionEnded } from "#session-host/memory/session-ended.ts"

/** The commits of a session under this lease, and the store that reads what they made. */
export function commitsUnder(
  lease: Lease.Info,
  options: {
    withinMs?: number
    awayMs?: number
    onAway?: () => void
    onEnd?: (error: SessionEnded) => void
  } = {},
) {
  const { withinMs = 60_000, awayMs = 60_000, onAway = () => {}, onEnd = () => {} } = options
  const patience = new Patience({ afterMs: awayMs, call: onAway }, new AbortController().signal)
  const store = new SessionStore({ bridgeId: lease.bridgeId, sessionKey: randomBytes(32), patience })
  return { store, commits: new Commits(lease, { store, patience, withinMs, onEnd }) }
}
