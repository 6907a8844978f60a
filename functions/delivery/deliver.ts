import { randomUUID } from "node:crypto"
import type { Agent } from "undici"
import { Bridge } from "#core/bridge.ts"
import { now, nowMs } from "#core/clock.ts"
import { config } from "#core/config.ts"
import { Delivery } from "#core/delivery.ts"
import { EventRow } from "#core/event-row.ts"
import { log } from "#core/log.ts"
import { Metrics } from "#core/metrics.ts"
import { guardedAgent } from "#core/safe-fetch.ts"
import { attempt, type Outcome } from "./attempt.ts"
import { note } from "./note.ts"
import { sendAgain } from "./send-again.ts"

/** §6.1: seconds between the five attempts, from the end of the failed one. */
const waits = [10, 30, 60, 180]
/** An answer that kills the deliverer is recorded by nobody: after so many POSTs it blocks its bridge no longer. */
const maxAttempts = 10
/** 45 of the 60 s of an invocation: the last attempt begun ends in time. */
const busyForMs = (config.DELIVERY_CLAIM_S * 1000) / 2

/**
 * A doorbell rang: posts the events of a bridge, one at a time and in order, until none waits, one is to be tried again
 * or the time is over.
 * @returns the seconds after which the doorbell is to ring again; undefined when it has done its duty.
 */
export async function deliver(bridgeId: string): Promise<number | undefined> {
  const busyUntil = performance.now() + busyForMs
  const claimed = await Delivery.claim(bridgeId, randomUUID())
  // Somebody else looks, or there was never an event.
  if (!claimed) return undefined
  if ("early" in claimed) return Math.ceil(claimed.early / 1000)

  // The connections of an earlier invocation were frozen with it.
  const agent = guardedAgent()
  try {
    let held: Delivery.Info | undefined = claimed
    while (held) {
      const event = await EventRow.get(bridgeId, held.head + 1)
      if (!event && held.resend.length === 0) {
        held = await Delivery.goIdle(held)
        continue
      }
      if (performance.now() > busyUntil) {
        await Delivery.passOn(held)
        return undefined
      }
      if (event) {
        const next: Next = await deliverOne(held, event, agent)
        if (next && "wait" in next) return next.wait
        held = next
      }
      // Between two events, and never for longer than an invocation may run.
      if (held && held.resend.length > 0 && performance.now() <= busyUntil)
        held = await sendAgain(held, agent)
    }
    return undefined
  } finally {
    await agent.destroy()
  }
}

/** The row, still held, to go on with; `wait` in seconds to try this event again; undefined when the claim has ended. */
type Next = Delivery.Info | { wait: number } | undefined

async function deliverOne(held: Delivery.Info, event: EventRow.Info, agent: Agent): Promise<Next> {
  // Read for each attempt: a PATCH holds for what waits already.
  const bridge = await Bridge.byId(held.bridgeId)
  if (!bridge) {
    await Delivery.remove(held.bridgeId)
    return undefined
  }
  if (bridge.webhookUrl === "") return await Delivery.advance(held, "inbox")
  const why = whyHopeless(held, event)
  if (why) {
    log.error({ bridgeId: bridge.id, eventId: event.eventId, why }, "event given up")
    Metrics.add("Undelivered", 1, { event_type: event.type })
    return await Delivery.advance(held, "undelivered")
  }

  // What may fail for every event comes before the count, and costs no attempt; what could fail for this event alone
  // comes after it, so that it cannot fail for ever.
  const [secret, deliveryKey] = await Promise.all([Bridge.secretOf(bridge), Bridge.deliveryKeyOf(bridge)])
  // Of an event whose receiver fails the age says nothing of ours.
  if (held.failures === 0) Metrics.add("EventOldestMs", nowMs() - event.createdAt * 1000)
  const counted = await Delivery.countAttempt(held)
  if (!counted) return undefined
  const outcome = await attempt({
    url: bridge.webhookUrl,
    secret,
    eventId: event.eventId,
    number: counted.attempt,
    body: EventRow.bodyOf(event, deliveryKey),
    agent,
  })
  const wait = outcome.verdict === "retry" ? waits[counted.failures] : undefined
  const next = await conclude(counted, outcome, wait)
  const isGivenUp = outcome.verdict !== "delivered" && wait === undefined
  if (isGivenUp) Metrics.add("Undelivered", 1, { event_type: event.type })
  await note(counted, { event, number: counted.attempt }, outcome)
  return next
}

/** Why an event is not even posted any more. */
function whyHopeless(held: Delivery.Info, event: EventRow.Info): string | undefined {
  if (held.attempt >= maxAttempts) return "no attempt had an outcome"
  // What waits for so long has receivers that fail, and a backlog that grows: their customer finds it in the list.
  if (now() - event.createdAt >= EventRow.waitsFor) return "it has waited for 30 days"
  return undefined
}

async function conclude(counted: Delivery.Info, outcome: Outcome, wait: number | undefined): Promise<Next> {
  if (wait !== undefined) {
    await Delivery.fail(counted, wait)
    return { wait }
  }
  const after = await Delivery.advance(counted, outcome.verdict === "delivered" ? "delivered" : "undelivered")
  if (!after || counted.attempt === 1) return after
  // This doorbell has been received a few times: a fresh one goes on.
  await Delivery.passOn(after)
  return undefined
}
