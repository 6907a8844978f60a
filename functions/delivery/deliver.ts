import { randomInt, randomUUID } from "node:crypto"
import { AccountWebhook } from "#core/bridge/account-webhook.ts"
import { AccountReceivers } from "#core/event/account-receivers.ts"
import { Claim } from "#core/event/claim.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventIndex } from "#core/event/event-index.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { EventRow } from "#core/event/event-row.ts"
import { Healing } from "#core/event/healing.ts"
import { newEventsOf } from "#core/event/new-events.ts"
import { Receiver } from "#core/event/receiver.ts"
import { tryNow } from "#core/event/retry-and-skip.ts"
import type { Usage } from "#core/event/usage.ts"
import { Place } from "#core/limits/place.ts"
import { isClockDoubted, now, nowMs } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { tables } from "#core/store/tables.ts"
import { AttemptNotes } from "./attempt-notes.ts"
import { attempt, type Outcome, type PostBody, postBodyOf } from "./attempt.ts"
import type { DeliveryTools } from "./delivery-tools.ts"
import { endClaimOnError } from "./end-claim-on-error.ts"
import { GivenUp } from "./given-up.ts"
import { newReceiverConnections } from "./receiver-connections.ts"
import { heal, newTurn, sendAgain } from "./send-again.ts"
import { newTimeLimit, type TimeLimit } from "./time-for-one-bridge.ts"
import { translated } from "./translated.ts"
import { isWanted, maxAttempts } from "./wanted.ts"

/** Contract, "Delivery": seconds between the five attempts, from the end of the failed one. */
const waits = [10, 30, 60, Delivery.longestWait]
/** How many bytes of events go into one POST: a single event may be larger. */
const largestBatch = 1_000_000

/** The claim got no answer, or a refusal: most likely nothing was claimed. */
export class NotClaimed extends Error {}

/**
 * Answers a doorbell: posts the events of a bridge to one of its webhooks, in order, one at a time or in
 * batches, until none waits, one is to be retried, or the time is over.
 * @param stopping aborted when this process is to end: the time is then over
 * @returns the seconds after which the doorbell is to ring again; undefined when it has done its duty.
 * @throws NotClaimed, or what went wrong under a claim
 */
export async function deliver(
  id: Receiver.Id,
  doorbellHandle?: string,
  stopping?: AbortSignal,
): Promise<number | undefined> {
  const timeLimit = newTimeLimit(stopping)
  const claimed = await Claim.acquire(id, randomUUID()).catch((cause: unknown) => {
    throw new NotClaimed("the delivery could not be claimed", { cause })
  })
  // Another deliverer has it, or there was never an event.
  if (!claimed) return undefined
  if ("early" in claimed) return Math.ceil(claimed.early / 1000)
  const { head, start } = claimed
  if (head < start) throw new Error(`a delivery that began after event ${start} has gone back to ${head}`)

  // On one machine one process delivers, and counts all deliveries of an account.
  const mayFail = claimed.failingSince !== undefined || Healing.isStopped(claimed)
  if (!mayFail || config.STORAGE_DIR) return await deliverClaimed(claimed, timeLimit, doorbellHandle)
  const place = await endClaimOnError(claimed, () => placeToFail(claimed.receiver.accountId))
  if (!place) return await Claim.rest(claimed, doorbellHandle, nextTurnAfter())
  try {
    return await deliverClaimed(claimed, timeLimit, doorbellHandle)
  } finally {
    await Place.leave(place).catch((error: unknown) =>
      log.warn({ error }, "a place for a failing receiver stays taken for a minute"),
    )
  }
}

/**
 * One of the places that an account has for deliveries to receivers that fail. Most of those hang: a few
 * thousand would occupy every delivery that may run at once. It is held as long as an invocation may run.
 */
async function placeToFail(accountId: string): Promise<Place.Info | undefined> {
  const how = { first: randomInt(config.FAILING_PLACES), looks: 3, seconds: 60, table: tables.events }
  return await Place.take(`FAILING#${accountId}`, config.FAILING_PLACES, how)
}

/**
 * After how many seconds a delivery is looked at again whose account has too many receivers that fail: not
 * all at once, and seldom, since each look costs an invocation and a few writes.
 */
const nextTurnAfter = () => randomInt(Delivery.longestWait / 3, Delivery.longestWait)

async function deliverClaimed(
  claimed: Delivery.Info,
  timeLimit: TimeLimit,
  doorbellHandle: string | undefined,
): Promise<number | undefined> {
  const { connections, leave } = newReceiverConnections()
  const id = idOf(claimed)
  const tools: DeliveryTools = {
    connections,
    notes: new AttemptNotes(id),
    newEvents: newEventsOf(id),
    timeLimit,
    head: claimed.head,
    doorbellHandle,
    givenUp: new GivenUp(id),
    turn: newTurn(),
  }
  try {
    return await deliverUntilIdle(claimed, tools)
  } finally {
    tools.newEvents.end()
    await leave()
    await tools.notes.written()
    if (Receiver.isFirst(id)) {
      const key = async () => (await Receiver.keysOf(claimed.receiver)).deliveryKey
      // People look for words of events that are through.
      await EventIndex.complete(id.bridgeId, key, { after: claimed.head, to: tools.head })
    }
  }
}

/**
 * Rests while the account's webhook is paused. What is known of it may be a second old: if it was resumed
 * meanwhile, nobody else ends the rest.
 */
async function rest(held: Delivery.Info, doorbellHandle: string | undefined): Promise<number | undefined> {
  const wait = await Claim.rest(held, doorbellHandle)
  AccountReceivers.forget(Receiver.atAccount({ ...held, accountId: held.receiver.accountId }))
  const resting = await Delivery.get(held)
  if (resting && !Delivery.isResting(resting)) await tryNow(resting)
  return wait
}

/**
 * Until nothing waits: reads ahead, does what is next with the events read, sends again what is to be sent
 * again, and goes idle when there are no more. `held` is the row as it is known last, `ahead` the events that
 * were read, `isAll` that no more are known.
 */
async function deliverUntilIdle(claimed: Delivery.Info, tools: DeliveryTools): Promise<number | undefined> {
  let held: Delivery.Info | undefined = claimed
  let ahead: EventRow.Info[] = []
  let isAll = false
  while (held) {
    if (held.isRemoved) {
      await AccountWebhook.followAt(held.bridgeId)
      return undefined
    }
    if (Delivery.isResting(held)) {
      const waiting: Awaited<ReturnType<typeof Claim.goIdle>> = await Claim.goIdle(held)
      return waiting && (await rest(waiting.held, tools.doorbellHandle))
    }
    if (Delivery.isPausedOrMoved(held)) {
      held = await Claim.endWhilePaused(held)
      continue
    }
    if (ahead.length === 0 && !isAll) {
      const seen: Seen | undefined =
        (await justWritten(held, tools)) ?? (await readAhead(held, { isFresh: held === claimed }))
      if (!seen) return undefined
      ;({ held, ahead, isAll } = seen)
      if (held.isRemoved || Delivery.isResting(held) || Delivery.isPausedOrMoved(held)) continue
      if (!isLast(held, ahead)) await followAccount(held, ahead)
    }
    const event = ahead[0]
    if (!event && held.resend.length === 0 && !Healing.isDue(held, false)) {
      isAll = (await tools.newEvents.after(held.head)) <= held.head
      if (!isAll) continue
      const more = await Claim.goIdle(held)
      if (!more) return undefined
      held = more.held
      ahead = more.event ? [more.event] : []
      isAll = false
      continue
    }
    // Checked after each look as well: events read after the time was over may have been delivered by others.
    if (tools.timeLimit.isOver()) {
      await Claim.passOn(held)
      return undefined
    }
    if (event) {
      const next: Next = await doNext(held, ahead, tools)
      if (next && "wait" in next) return next.wait
      held = next
      const head = held ? held.head : event.n
      tools.head = head
      // The event is still ahead if the bridge has got a webhook URL in place of the inbox.
      ahead = ahead.filter(({ n }) => n > head)
    }
    // Resends go between two events, and never beyond an invocation's time.
    if (held && !held.isRemoved && held.resend.length > 0 && !tools.timeLimit.isOver())
      held = await sendAgain(held, tools)
    else if (held && Healing.isDue(held, event !== undefined) && !tools.timeLimit.isOver()) {
      held = await heal(held, tools)
      // What is new does not wait until all of it is sent again.
      isAll = false
    }
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
async function readAhead(held: Delivery.Info, { isFresh }: { isFresh: boolean }): Promise<Seen | undefined> {
  const { next, beyond } = await endClaimOnError(held, () =>
    EventRow.after(held.bridgeId, held.head, held.batch),
  )
  if (next.length === 0 && beyond !== undefined) {
    const skipped = await Claim.stepOver(held, beyond)
    return skipped && (await readAhead(skipped, { isFresh: true }))
  }
  if (next[0] && isTooOld(held, next[0])) {
    const later = await miss(held, next[0])
    return later && (await readAhead(later, { isFresh: true }))
  }
  const current = isFresh ? held : await endClaimOnError(held, () => Claim.reread(held))
  return current && { held: current, ahead: next, isAll: next.length <= 1 && beyond === undefined }
}

/**
 * Whether an event has waited for too long for a further webhook, which then misses it
 * (Contract, "Webhooks").
 */
function isTooOld(held: Delivery.Info, { createdAt }: EventRow.Info): boolean {
  return !Receiver.isFirst(held) && hasWaited(createdAt, EventRow.waitLimitAtFurther)
}

/** Passes over all events that have waited for too long; `first` is the first of them. */
async function miss(held: Delivery.Info, first: EventRow.Info): Promise<Delivery.Info | undefined> {
  const since = now() - EventRow.waitLimitAtFurther + 1
  const to = (await endClaimOnError(held, () => EventLists.firstSince(held.bridgeId, since))) - 1
  log.warn({ ...idOf(held), events: to - held.head }, "events missed by a webhook")
  return await Claim.stepTo(held, to, Claim.missedUpTo(held, to, first.eventId))
}

function idOf({ bridgeId, webhookId }: Delivery.Info): Receiver.Id {
  return { bridgeId, webhookId }
}

/** What `readAhead` would find, where this process knows it. */
async function justWritten(held: Delivery.Info, { newEvents }: DeliveryTools): Promise<Seen | undefined> {
  const known = await newEvents.justWritten(held)
  return known && { held: known.held, ahead: [known.event], isAll: true }
}

/**
 * The row, still held, to go on with; `wait` in seconds before this event is retried; undefined when the
 * claim has ended.
 */
type Next = Delivery.Info | { wait: number } | undefined

/**
 * Does what is next with the events that wait: passes over one that is not wanted, or posts one or a batch.
 */
async function doNext(held: Delivery.Info, ahead: EventRow.Info[], tools: DeliveryTools): Promise<Next> {
  const [event] = ahead as [EventRow.Info, ...EventRow.Info[]] // something waits
  // The last that is known: what the account has chosen since the first of them was read.
  if (isLast(held, ahead)) await followAccount(held, ahead)
  if (!(await isWanted(held, event))) return await passOver(held, event)
  if (held.receiver.url === "")
    return await Claim.settle(held, {
      state: "inbox",
      attempts: 0,
      made: [{ type: event.type, end: "delivered" }],
    })
  const why = whyHopeless(held, event)
  if (!why) return await post(held, await batchOf(held, ahead), tools)
  log.error({ ...idOf(held), eventId: event.eventId, why }, "event given up")
  Metrics.add("Undelivered")
  // An alarm divides `Undelivered` by `Attempts`, so each must have data wherever the other has.
  Metrics.add("Attempts", 0)
  return await Claim.settle(held, {
    state: "undelivered",
    attempts: 0,
    made: [{ type: event.type, end: "undelivered" }],
  })
}

/** Whether the next POST takes all that is known. */
function isLast({ batch = 1 }: Delivery.Info, ahead: EventRow.Info[]): boolean {
  return ahead.length <= batch
}

/** Before a bridge's first receiver gets events, each of the account's has a delivery that looks at them. */
async function followAccount(held: Delivery.Info, ahead: EventRow.Info[]): Promise<void> {
  if (!Receiver.isFirst(held) || ahead.length === 0) return
  // Events are dated to the second. A webhook that is missing in a list of later than that second gets none
  // of them.
  const asOfMs = (ahead.at(-1)!.createdAt + 1) * 1000
  await endClaimOnError(held, () => AccountWebhook.follow(held, asOfMs))
}

/**
 * Passes over an event: the next write moves the row's `head` beyond it. What is recorded of its attempts
 * must not count for the next event.
 */
async function passOver(held: Delivery.Info, { n }: EventRow.Info): Promise<Delivery.Info | undefined> {
  if (held.failures > 0 || held.attempt > maxAttempts) return await Claim.stepTo(held, n)
  return { ...held, head: n }
}

/** The events of the next POST: the first, and in a batch what follows and is wanted. */
async function batchOf(held: Delivery.Info, ahead: EventRow.Info[]): Promise<Posted> {
  const [first, ...more] = ahead as Posted // something waits
  const { batchEnd = Infinity, receiver } = held
  const batch = receiver.format ? 1 : (held.batch ?? 1)
  const events: Posted = [first]
  let bytes = first.body.length
  for (const event of more) {
    bytes += event.body.length
    if (events.length === batch || bytes > largestBatch || event.n > batchEnd) break
    if (await isWanted(held, event)) events.push(event)
  }
  return events
}

type Posted = [EventRow.Info, ...EventRow.Info[]]

async function post(held: Delivery.Info, events: Posted, tools: DeliveryTools): Promise<Next> {
  const { receiver } = held
  // Measured before the keys are asked for, so that the alarm rings as well where the keys are out of reach.
  if (isAgeOurs(held, events[0])) Metrics.add("EventOldestMs", nowMs() - events[0].createdAt * 1000)
  // A step that may fail for every event costs no attempt. A step that may fail for this event alone costs
  // one, so that it cannot fail for ever.
  const keys = await endClaimOnError(held, () => Receiver.keysOf(receiver))
  const outcome = await attempt({
    id: held,
    url: receiver.url,
    keys,
    message: await messageOf(events, held, keys),
    number: held.attempt,
    givenUp: held,
    connections: tools.connections,
  })
  tools.timeLimit.answered(outcome.latencyMs)
  const { isOurs, next } = await conclude(held, events, outcome, tools)
  const count = isOurs ? held.attempts + 1 : undefined
  const { deliveryKey } = keys
  tools.notes.add({ events, number: held.attempt, count, url: receiver.url, deliveryKey }, outcome)
  return next
}

/** What is posted: in the format of its webhook, an event is alone. */
async function messageOf(events: Posted, held: Delivery.Info, keys: Receiver.Keys): Promise<PostBody> {
  const { receiver } = held
  const inFormat = receiver.format && (await translated(events[0], receiver, keys))
  return inFormat ?? postBodyOf(events, keys.deliveryKey, held)
}

/**
 * Whether an event's age is our latency: not while its receiver fails, and not if it has waited for that to
 * end.
 */
function isAgeOurs({ failingSince, failedUntil = 0 }: Delivery.Info, event: EventRow.Info): boolean {
  return failingSince === undefined && event.createdAt > failedUntil
}

/** Whether an event has waited for so long, in seconds, as far as the clock can be believed. */
function hasWaited(createdAt: number, limit: number): boolean {
  return now() - createdAt >= limit && !isClockDoubted()
}

/** Why an event is not even posted any more. */
function whyHopeless(held: Delivery.Info, event: EventRow.Info): string | undefined {
  if (held.attempt > maxAttempts) return "no attempt had an outcome"
  // An event that waited this long has a failing receiver and a growing backlog. The customer finds it in the
  // list.
  if (hasWaited(event.createdAt, EventRow.waitLimit)) return "it has waited for 30 days"
  return undefined
}

/** Records the outcome of a POST. `isOurs`: the claim was still held. */
async function conclude(
  held: Delivery.Info,
  events: Posted,
  outcome: Outcome,
  { doorbellHandle, newEvents }: DeliveryTools,
): Promise<{ isOurs: boolean; next: Next }> {
  const isDelivered = outcome.verdict === "delivered"
  const attempt = { isFailure: !isDelivered, latencyMs: outcome.latencyMs }
  const attempts = events.length
  const last = events.at(-1)!.n
  const wait = outcome.verdict === "retry" ? waits[held.failures] : undefined
  if (wait !== undefined) {
    const batchEnd = held.batch === undefined ? undefined : last
    const made: Usage.Step = { type: events[0].type, attempt }
    return {
      isOurs: await Claim.fail(held, wait, { bell: doorbellHandle, made, batchEnd, attempts }),
      next: { wait },
    }
  }
  const end = isDelivered ? "delivered" : "undelivered"
  if (!isDelivered) Metrics.add("Undelivered", attempts)
  const made = events.map(({ type }, i): Usage.Step => ({ type, end, ...(i === 0 && { attempt }) }))
  // A delivered event of the first webhook is kept for seven days from its delivery.
  const isPrompt = !Receiver.isFirst(held) || now() - events[0].createdAt < EventRow.promptWithin
  const after =
    isDelivered && isPrompt
      ? await Claim.advance(held, {
          to: last,
          attempts,
          made,
          isLast: () => held.resend.length === 0 && !held.healing && newEvents.isNewest(last),
        })
      : await settleAll(held, events, { state: end, made })
  if (!after || held.attempt === 1) return { isOurs: after !== undefined, next: after }
  // This doorbell has been received a few times: ring a fresh one.
  await Claim.passOn(after)
  return { isOurs: true, next: undefined }
}

/** Gives each event of a POST its outcome. If this deliverer dies on the way, the rest is posted again. */
async function settleAll(
  held: Delivery.Info,
  events: Posted,
  { state, made }: { state: "delivered" | "undelivered"; made: Usage.Step[] },
): Promise<Delivery.Info | undefined> {
  let after: Delivery.Info | undefined = held
  for (const [i, { n }] of events.entries())
    after = after && (await Claim.settle({ ...after, head: n - 1 }, { state, attempts: 1, made: [made[i]!] }))
  return after
}
