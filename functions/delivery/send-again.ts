import type { Delivery } from "#core/event/delivery.ts"
import { EventRow } from "#core/event/event-row.ts"
import { Receiver } from "#core/event/receiver.ts"
import { Resend } from "#core/event/resend.ts"
import { attempt, postBodyOf } from "./attempt.ts"
import type { DeliveryTools } from "./delivery-tools.ts"
import { endClaimOnError } from "./end-claim-on-error.ts"
import { translated } from "./translated.ts"

/** A resend gets one attempt, and a few more if the deliverer died during it. */
const maxAttempts = 3

/**
 * Sends the first event on the resend list again.
 * @returns the row as it is now; undefined when the claim is lost.
 */
export async function sendAgain(
  held: Delivery.Info,
  { connections, notes }: DeliveryTools,
): Promise<Delivery.Info | undefined> {
  // A step that may fail for every event comes before the count, as in a first delivery.
  const receiver = held.receiver
  const keys = await endClaimOnError(held, () => Receiver.keysOf(receiver))
  const counted = await Resend.countAttempt(held)
  if (!counted) return undefined
  const row = await EventRow.get(counted.bridgeId, counted.resend[0]!) // `count` has seen it
  const url = counted.receiver.url
  // The event may have expired, or the bridge may have a hosted inbox by now.
  if (!row || url === "" || counted.resendAttempt > maxAttempts)
    return atLeast(held.head, await Resend.settle(counted))

  const event = EventRow.asOf(row, counted.head)
  const outcome = await attempt({
    id: counted,
    url,
    keys,
    // Somebody has asked for this event: what has no counterpart in the webhook's format comes in ours.
    message:
      (await translated(event, counted.receiver, keys)) ?? postBodyOf([event], keys.deliveryKey, counted),
    number: counted.resendAttempt,
    connections,
    isResend: true,
  })
  const delivered = outcome.verdict === "delivered" ? event : undefined
  const { latencyMs } = outcome
  const counts = { type: event.type, attempt: { isFailure: !delivered, latencyMs } }
  const after = await Resend.settle(counted, { counts, delivered })
  const count = after && counted.attempts + 1
  const { deliveryKey } = keys
  const made = { events: [event], number: counted.resendAttempt, count, url, deliveryKey, isResend: true }
  notes.add(made, outcome)
  return atLeast(held.head, after)
}

/** The row, with the `head` that its holder knows if the row's own is behind it. */
function atLeast(head: number, row: Delivery.Info | undefined): Delivery.Info | undefined {
  return row && { ...row, head: Math.max(row.head, head) }
}
