import type { Event } from "#contract/event.ts"
import type { Delivery } from "#core/event/delivery.ts"
import { EventRow } from "#core/event/event-row.ts"
import { Filter } from "#core/event/filter.ts"
import { Receiver } from "#core/event/receiver.ts"
import { endClaimOnError } from "./end-claim-on-error.ts"
import { isTold } from "./translated.ts"

/** An answer that kills the deliverer is never recorded. After this many POSTs the event is given up. */
export const maxAttempts = 10

/** Whether the webhook's filter lets an event pass, and its format has a counterpart. */
export async function isWanted(held: Delivery.Info, event: EventRow.Info): Promise<boolean> {
  const { filter, format } = held.receiver
  if (!filter && !format) return true
  if (!Filter.mayPass(filter, event.type)) return false
  // The event is given up next. Its body is not opened here, since that may be what fails.
  if (held.attempt > maxAttempts) return true
  const keys = await endClaimOnError(held, () => Receiver.keysOf(held.receiver))
  if (format && !isTold(event, held.receiver, keys)) return false
  // As it was written.
  const read = () => JSON.parse(EventRow.bodyOf(event, keys.deliveryKey).toString()) as Event
  return !filter || Filter.passes(filter, read())
}
