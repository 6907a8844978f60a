import type { Arrivals } from "#core/event/arrivals.ts"
import type { Connections } from "#core/fetch/connections.ts"
import type { AttemptNotes } from "./attempt-notes.ts"
import type { TimeLimit } from "./time-for-one-bridge.ts"

/** An invocation's tools for delivering. */
export interface Means {
  connections: Connections
  notes: AttemptNotes
  arrivals: Arrivals
  timeLimit: TimeLimit
  /** The doorbell that is answered, in the queue's words. */
  bell: string | undefined
}
