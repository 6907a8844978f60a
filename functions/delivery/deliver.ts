import { randomUUID } from "node:crypto"
import { Claim } from "#core/event/claim.ts"
import { now, nowMs } from "#core/platform/clock.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventRow } from "#core/event/event-row.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { Receiver } from "#core/event/receiver.ts"
import type { Usage } from "#core/event/usage.ts"
import { arrivalsOf } from "#core/event/arrivals.ts"
import { attempt, type Outcome } from "./attempt.ts"
import { newConnections } from "./connections.ts"
import { type Means, orLetGo } from "./means.ts"
import { Notes } from "./attempt-notes.ts"
import { sendAgain } from "./send-again.ts"
import { newTimeLimit } from "./time-for-one-bridge.ts"

/** Contract, "Delivery": seconds between the five attempts, from the end of the failed one. */
export const waits = [10, 30, 60, Delivery.longestWait]
/** An answer that kills the deliverer is never recorded. After this many POSTs the event is given up. */
const maxAttempts = 10

/** The claim got no answer, or a refusal: most likely nothing was claimed. */
export class NotClaimed extends Error {}

/**
 * Answers a doorbell: posts the events of a bridge to one of its webhooks, one at a time and in order, until none waits, one is to be retried,
 * or the time is over.
 * @param stopping aborted when this process is to end: the time is then over
 * @returns the seconds after which the doorbell is to ring again; undefined when it has done its duty.
 * @throws NotClaimed, or what went wrong under a claim
 */
export async function deliver(
  id: Receiver.Id,
  bell?: string,
  stopping?: AbortSignal,
): Promise<number | undefined> {
  const timeLimit = newTimeLimit(stopping)
  const claimed = await Claim.take(id, randomUUID()).catch((cause: unknown) => {
    throw new NotClaimed("the delivery could not be claimed", { cause })
  })
  // Somebody else is delivering, or there was never an event.
  if (!claimed) return undefined
  if ("early" in claimed) return Math.ceil(claimed.early / 1000)

  const { connections, leave } = newConnections()
  const means: Means = {
    connections,
    notes: new Notes(id),
    arrivals: arrivalsOf(id),
    timeLimit,
    bell,
  }
  try {
    return await work(claimed, means)
  } finally {
    means.arrivals.end()
    await leave()
    await means.notes.written()
  }
}

async function work(claimed: Delivery.Info, means: Means): Promise<number | undefined> {
  let held: Delivery.Info | undefined = claimed
  let ahead: EventRow.Info[] = []
  let isAll = false
  while (held) {
    if (ahead.length === 0 && !isAll) {
      const seen: Seen | undefined =
        justWritten(held, means) ?? (await look(held, { isFresh: held === claimed }))
      if (!seen) return undefined
      ;({ held, ahead, isAll } = seen)
    }
    const event = ahead.shift()
    if (!event && held.resend.length === 0) {
      isAll = (await means.arrivals.after(held.head)) <= held.head
      if (!isAll) continue
      const more = await Claim.goIdle(held)
      if (!more) return undefined
      held = more.held
      ahead = more.event ? [more.event] : []
      isAll = false
      continue
    }
    // Checked after each look as well: events read after the time was over may have been delivered by others (see the
    // models).
    if (means.timeLimit.isOver()) {
      await Claim.passOn(held)
      return undefined
    }
    if (event) {
      const next: Next = await deliverOne(held, event, means)
      if (next && "wait" in next) return next.wait
      held = next
      // The bridge has got a webhook URL in place of the inbox.
      if (held && held.head < event.n) ahead.unshift(event)
    }
    // Resends go between two events, and never beyond an invocation's time.
    if (held && held.resend.length > 0 && !means.timeLimit.isOver()) held = await sendAgain(held, means)
  }
  return undefined
}

interface Seen {
  held: Delivery.Info
  ahead: EventRow.Info[]
  /** Most likely nothing waits after these, so there is no need to look again before going idle. */
  isAll: boolean
}

/** Reads ahead. Reads the row too, unless it is fresh: events appended after a PATCH go to the new URL. */
async function look(held: Delivery.Info, { isFresh }: { isFresh: boolean }): Promise<Seen | undefined> {
  const { next, beyond } = await orLetGo(held, () => EventRow.after(held.bridgeId, held.head))
  if (next.length === 0 && beyond !== undefined) {
    const skipped = await Claim.stepOver(held, beyond)
    return skipped && (await look(skipped, { isFresh: true }))
  }
  const current = isFresh ? held : await orLetGo(held, () => Claim.refresh(held))
  return current && { held: current, ahead: next, isAll: next.length <= 1 && beyond === undefined }
}

/** What `look` would find, where this process knows it. */
function justWritten(held: Delivery.Info, { arrivals }: Means): Seen | undefined {
  const known = arrivals.justWritten(held)
  return known && { held: known.held, ahead: [known.event], isAll: true }
}

/**
 * The row, still held, to go on with; `wait` in seconds before this event is retried; undefined when the claim has
 * ended.
 */
type Next = Delivery.Info | { wait: number } | undefined

async function deliverOne(held: Delivery.Info, event: EventRow.Info, means: Means): Promise<Next> {
  const { receiver } = held
  if (receiver.url === "")
    return await Claim.settle(held, {
      state: "inbox",
      attempts: 0,
      made: { type: event.type, end: "delivered" },
    })
  const why = whyHopeless(held, event)
  if (why) {
    log.error({ bridgeId: held.bridgeId, eventId: event.eventId, why }, "event given up")
    Metrics.add("Undelivered")
    // An alarm divides `Undelivered` by `Attempts`, so each must have data wherever the other has.
    Metrics.add("Attempts", 0)
    return await Claim.settle(held, {
      state: "undelivered",
      attempts: 0,
      made: { type: event.type, end: "undelivered" },
    })
  }

  // Measured before the keys are asked for, so that the alarm rings as well where the keys are out of reach.
  if (isAgeOurs(held, event)) Metrics.add("EventOldestMs", nowMs() - event.createdAt * 1000)
  // A step that may fail for every event costs no attempt. A step that may fail for this event alone costs one, so that
  // it cannot fail for ever.
  const { secrets, deliveryKey } = await orLetGo(held, () => Receiver.keysOf(receiver))
  const outcome = await attempt({
    bridgeId: held.bridgeId,
    url: receiver.url,
    secrets,
    eventId: event.eventId,
    number: held.attempt,
    body: EventRow.bodyOf(event, deliveryKey),
    connections: means.connections,
  })
  means.timeLimit.answered(outcome.latencyMs)
  const { isOurs, next } = await conclude(held, event, outcome, means.bell)
  const count = isOurs ? held.attempts + 1 : undefined
  means.notes.add({ event, number: held.attempt, count, url: receiver.url, deliveryKey }, outcome)
  return next
}

/** Whether an event's age is our latency: not while its receiver fails, and not if it has waited for that to end. */
function isAgeOurs({ failingSince, failedUntil = 0 }: Delivery.Info, event: EventRow.Info): boolean {
  return failingSince === undefined && event.createdAt > failedUntil
}

/** Why an event is not even posted any more. */
function whyHopeless(held: Delivery.Info, event: EventRow.Info): string | undefined {
  if (held.attempt > maxAttempts) return "no attempt had an outcome"
  // An event that waited this long has a failing receiver and a growing backlog. The customer finds it in the list.
  if (now() - event.createdAt >= EventRow.waitsFor) return "it has waited for 30 days"
  return undefined
}

/** Records the outcome of an event. `isOurs`: the claim was still held. */
async function conclude(
  held: Delivery.Info,
  event: EventRow.Info,
  outcome: Outcome,
  bell: string | undefined,
): Promise<{ isOurs: boolean; next: Next }> {
  const isDelivered = outcome.verdict === "delivered"
  const made: Usage.Made = {
    type: event.type,
    attempt: { isFailure: !isDelivered, latencyMs: outcome.latencyMs },
  }
  const wait = outcome.verdict === "retry" ? waits[held.failures] : undefined
  if (wait !== undefined) return { isOurs: await Claim.fail(held, wait, { bell, made }), next: { wait } }

  const ended: Usage.Made = { ...made, end: isDelivered ? "delivered" : "undelivered" }
  if (!isDelivered) Metrics.add("Undelivered")
  const isPrompt = now() - event.createdAt < EventRow.promptly
  const after =
    isDelivered && isPrompt
      ? await Claim.advance(held, ended)
      : await Claim.settle(held, {
          state: isDelivered ? "delivered" : "undelivered",
          attempts: 1,
          made: ended,
        })
  if (!after || held.attempt === 1) return { isOurs: after !== undefined, next: after }
  // This doorbell has been received a few times: ring a fresh one.
  await Claim.passOn(after)
  return { isOurs: true, next: undefined }
}
