import { randomUUID } from "node:crypto"
import { Bridge } from "#core/bridge.ts"
import { Claim } from "#core/claim.ts"
import { now, nowMs } from "#core/clock.ts"
import { config } from "#core/config.ts"
import { Delivery } from "#core/delivery.ts"
import { EventRow } from "#core/event-row.ts"
import { log } from "#core/log.ts"
import { Metrics } from "#core/metrics.ts"
import { Receiver } from "#core/receiver.ts"
import { Arrivals } from "./arrivals.ts"
import { attempt, type Outcome } from "./attempt.ts"
import { newConnections } from "./connections.ts"
import { type Means, orLetGo } from "./means.ts"
import { Notes } from "./notes.ts"
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
  const claimed = await Claim.take(bridgeId, randomUUID())
  // Somebody else looks, or there was never an event.
  if (!claimed) return undefined
  if ("early" in claimed) return Math.ceil(claimed.early / 1000)

  const { agent, leave } = newConnections()
  const means: Means = { agent, notes: new Notes(bridgeId), arrivals: new Arrivals(bridgeId) }
  try {
    return await work(claimed, means, busyUntil)
  } finally {
    means.arrivals.end()
    await leave()
    await means.notes.written()
  }
}

async function work(claimed: Delivery.Info, means: Means, busyUntil: number): Promise<number | undefined> {
  let held = await addressed(claimed)
  let ahead: EventRow.Info[] = []
  let isAll = false
  let newest = 0
  while (held) {
    if (ahead.length === 0 && !isAll) {
      const isOne: boolean = newest === held.head + 1
      const seen: Seen | undefined = await look(held, { isOne, isFresh: held === claimed })
      if (!seen) return undefined
      ;({ held, ahead, isAll } = seen)
    }
    const event = ahead.shift()
    if (!event && held.resend.length === 0) {
      newest = await means.arrivals.after(held.head)
      isAll = newest <= held.head
      if (!isAll) continue
      const more = await Claim.goIdle(held)
      if (!more) return undefined
      held = more.held
      ahead = more.event ? [more.event] : []
      isAll = false
      continue
    }
    // Also after each look: what was read when the time was over may have been delivered by others (the models).
    if (performance.now() > busyUntil) {
      await Claim.passOn(held)
      return undefined
    }
    if (event) {
      const next: Next = await deliverOne(held, event, means)
      if (next && "wait" in next) return next.wait
      held = next
      // Its bridge has got an address instead of the inbox.
      if (held && held.head < event.n) ahead.unshift(event)
    }
    // Between two events, and never for longer than an invocation may run.
    if (held && held.resend.length > 0 && performance.now() <= busyUntil) held = await sendAgain(held, means)
  }
  return undefined
}

/** The row of a service of before has no receiver yet: it is copied from the bridge. */
async function addressed(held: Delivery.Info): Promise<Delivery.Info | undefined> {
  if (held.receiver) return held
  const bridge = await orLetGo(held, () => Bridge.byId(held.bridgeId))
  if (bridge) return await Claim.address(held, await orLetGo(held, () => Bridge.receiverOf(bridge)))
  await Delivery.remove(held.bridgeId)
  return undefined
}

interface Seen {
  held: Delivery.Info
  ahead: EventRow.Info[]
  /** Most likely nothing waits after these, so that going idle need not ask before. */
  isAll: boolean
}

/**
 * Reads ahead, or the next event if it is known to be the only one; also the row, unless it has just been read: what was
 * appended after a PATCH goes to the new address.
 */
async function look(
  held: Delivery.Info,
  { isOne, isFresh }: { isOne?: boolean; isFresh: boolean },
): Promise<Seen | undefined> {
  const read = isOne ? EventRow.only : EventRow.after
  const { next, beyond } = await orLetGo(held, () => read(held.bridgeId, held.head))
  if (next.length === 0 && beyond !== undefined) {
    const skipped = await Claim.skip(held, beyond)
    return skipped && (await look(skipped, { isFresh: true }))
  }
  const current = isFresh ? held : await orLetGo(held, () => Claim.refresh(held))
  return current && { held: current, ahead: next, isAll: next.length <= 1 && beyond === undefined }
}

/** The row, still held, to go on with; `wait` in seconds to try this event again; undefined when the claim has ended. */
type Next = Delivery.Info | { wait: number } | undefined

async function deliverOne(held: Delivery.Info, event: EventRow.Info, { agent, notes }: Means): Promise<Next> {
  const receiver = held.receiver! // `addressed` has seen to it
  if (receiver.url === "") return await Claim.settle(held, { state: "inbox", attempts: 0 })
  const why = whyHopeless(held, event)
  if (why) {
    log.error({ bridgeId: held.bridgeId, eventId: event.eventId, why }, "event given up")
    Metrics.add("Undelivered", 1, { event_type: event.type })
    return await Claim.settle(held, { state: "undelivered", attempts: 0 })
  }

  // What may fail for every event costs no attempt; what could fail for this event alone costs one, so that it cannot
  // fail for ever.
  const { secret, deliveryKey } = await orLetGo(held, () => Receiver.keysOf(receiver))
  // Of an event whose receiver fails the age says nothing of ours.
  if (held.failures === 0) Metrics.add("EventOldestMs", nowMs() - event.createdAt * 1000)
  const outcome = await attempt({
    url: receiver.url,
    secret,
    eventId: event.eventId,
    number: held.attempt,
    body: EventRow.bodyOf(event, deliveryKey),
    agent,
  })
  const { isOurs, next } = await conclude(held, event, outcome)
  const count = isOurs ? held.attempts + 1 : undefined
  notes.add({ event, number: held.attempt, count }, outcome)
  return next
}

/** Why an event is not even posted any more. */
function whyHopeless(held: Delivery.Info, event: EventRow.Info): string | undefined {
  if (held.attempt > maxAttempts) return "no attempt had an outcome"
  // What waits for so long has receivers that fail, and a backlog that grows: their customer finds it in the list.
  if (now() - event.createdAt >= EventRow.waitsFor) return "it has waited for 30 days"
  return undefined
}

/** Writes what became of an event. `isOurs`: the claim was still held. */
async function conclude(
  held: Delivery.Info,
  event: EventRow.Info,
  outcome: Outcome,
): Promise<{ isOurs: boolean; next: Next }> {
  const wait = outcome.verdict === "retry" ? waits[held.failures] : undefined
  if (wait !== undefined) return { isOurs: await Claim.fail(held, wait), next: { wait } }

  const isDelivered = outcome.verdict === "delivered"
  if (!isDelivered) Metrics.add("Undelivered", 1, { event_type: event.type })
  // The row of a release before 0.2 has no time to live before this.
  const isPrompt = event.expiresAt !== undefined && now() - event.createdAt < EventRow.promptly
  const after =
    isDelivered && isPrompt
      ? await Claim.advance(held)
      : await Claim.settle(held, { state: isDelivered ? "delivered" : "undelivered", attempts: 1 })
  if (!after || held.attempt === 1) return { isOurs: after !== undefined, next: after }
  // This doorbell has been received a few times: a fresh one goes on.
  await Claim.passOn(after)
  return { isOurs: true, next: undefined }
}
