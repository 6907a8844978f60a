import type { Agent } from "undici"
import { Bridge } from "#core/bridge.ts"
import type { Delivery } from "#core/delivery.ts"
import { EventRow } from "#core/event-row.ts"
import { Resend } from "#core/resend.ts"
import { attempt } from "./attempt.ts"
import { note } from "./note.ts"

/** One attempt each; more only when a deliverer died in it, and not for ever. */
const maxAttempts = 3

/**
 * Sends the first event that its customer asked for once more.
 * @returns the row as it is now; undefined when the claim is lost.
 */
export async function sendAgain(held: Delivery.Info, agent: Agent): Promise<Delivery.Info | undefined> {
  // What may fail for every event comes before the count, as for a first delivery.
  const bridge = await Bridge.byId(held.bridgeId)
  const keys = bridge && {
    secret: await Bridge.secretOf(bridge),
    delivery: await Bridge.deliveryKeyOf(bridge),
  }
  const counted = await Resend.count(held)
  if (!counted) return undefined
  const event = await EventRow.get(counted.bridgeId, counted.resend[0]!) // `count` has seen it
  // It may have expired, or the bridge have a hosted inbox by now.
  if (!keys || !event || bridge.webhookUrl === "" || counted.resendAttempt > maxAttempts)
    return await Resend.settle(counted, undefined)

  const outcome = await attempt({
    url: bridge.webhookUrl,
    secret: keys.secret,
    eventId: event.eventId,
    number: counted.resendAttempt,
    body: EventRow.bodyOf(event, keys.delivery),
    agent,
    isResend: true,
  })
  const after = await Resend.settle(counted, outcome.verdict === "delivered" ? event : undefined)
  await note(counted, { event, number: counted.resendAttempt }, outcome)
  return after
}
