import type { NewEvents } from "#core/event/new-events.ts"
import type { Connections } from "#core/fetch/safe-fetch.ts"
import type { AttemptNotes } from "./attempt-notes.ts"
import type { GivenUp } from "./given-up.ts"
import type { Turn } from "./send-again.ts"
import type { TimeLimit } from "./time-for-one-bridge.ts"

/** An invocation's tools for delivering. */
export interface DeliveryTools {
  connections: Connections
  notes: AttemptNotes
  newEvents: NewEvents
  timeLimit: TimeLimit
  /** The number of the last event whose delivery has ended. */
  head: number
  givenUp: GivenUp
  /** How far it has come with what is sent again by itself. */
  turn: Turn
  /** The doorbell that is answered, in the queue's words. */
  doorbellHandle: string | undefined
}
