import { setTimeout as sleep } from "node:timers/promises"
import type { Delivery } from "./delivery.ts"
import type { EventRow } from "./event-row.ts"
import type { Receiver } from "./receiver.ts"

/**
 * What a process knows of a bridge's new events without a look at the store, while it delivers or watches
 * them.
 */
export interface NewEvents {
  /** The number of the newest event that is known, perhaps after a short wait for one after `head`. */
  after: (head: number) => Promise<number>
  /**
   * Whether this event is the newest of the bridge, as far as this process knows; never where it knows
   * nothing.
   */
  isNewest: (n: number) => boolean
  /**
   * The event after the head, and the row as it is now, where both are known: what reading them would find.
   */
  justWritten: (held: Delivery.Info) => Promise<{ event: EventRow.Info; held: Delivery.Info } | undefined>
  /** Waits for an event since the last call of this, but no longer than `ms`, and not beyond `signal`. */
  next: (ms: number, signal: AbortSignal) => Promise<void>
  end: () => void
}

/** On AWS a process knows nothing: only the store does. */
const nothing: NewEvents = {
  after: async () => 0,
  isNewest: () => false,
  justWritten: async () => undefined,
  next: async (ms, signal) => await sleep(ms, undefined, { signal }).catch(() => {}),
  end: () => {},
}

let source = (_id: Receiver.Id): NewEvents => nothing

/** The events of a bridge, and how far the delivery to one of its webhooks has come. */
export function newEventsOf(id: Receiver.Id): NewEvents {
  return source(id)
}

/** From now on, this process learns of new events from here. @returns a function that undoes it */
export function learnNewEventsFrom(given: (id: Receiver.Id) => NewEvents): () => void {
  const before = source
  source = given
  return () => {
    source = before
  }
}
