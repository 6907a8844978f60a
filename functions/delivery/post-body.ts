import { createHash } from "node:crypto"
import { EventRow } from "#core/event/event-row.ts"

/** What is posted: an event alone, or a batch (Contract, "Batches"). */
export interface PostBody {
  /**
   * The event's id, or that of the batch. The same events in the same order have the same id, and no others
   * have it.
   */
  id: string
  /** How many events are in the batch; absent for an event alone. */
  batch?: number
  body: Uint8Array
}

/** The events as they are posted: each one's bytes are those that were stored. */
export function postBodyOf(
  events: [EventRow.Info, ...EventRow.Info[]],
  deliveryKey: Uint8Array,
  { isBatch }: { isBatch: boolean },
): PostBody {
  const bodies = events.map((event) => ({
    eventId: event.eventId,
    body: EventRow.bodyOf(event, deliveryKey),
  }))
  return isBatch ? batchOf(bodies) : { id: bodies[0]!.eventId, body: bodies[0]!.body }
}

export function batchOf(events: { eventId: string; body: Uint8Array }[]): PostBody {
  const parts = events.flatMap(({ eventId, body }, i) => [
    Buffer.from(`${i === 0 ? "[" : ","}{"event_id":"${eventId}","event":`),
    body,
    Buffer.from("}"),
  ])
  return {
    id: batchIdOf(events.map(({ eventId }) => eventId)),
    batch: events.length,
    body: Buffer.concat([...parts, Buffer.from("]")]),
  }
}

function batchIdOf(eventIds: string[]): string {
  return `batch_${createHash("sha256").update(eventIds.join()).digest("hex").slice(0, 40)}`
}
