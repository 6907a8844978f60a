export * as Resend from "./resend.ts"

import { now } from "../platform/clock.ts"
import { log } from "../platform/log.ts"
import { type Row, transact, type Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Claim } from "./claim.ts"
import { Delivery } from "./delivery.ts"
import { ring } from "./doorbell.ts"
import { EventLists } from "./event-lists.ts"
import type { EventRow } from "./event-row.ts"
import { Healing } from "./healing.ts"
import { Receiver } from "./receiver.ts"
import type { Usage } from "./usage.ts"

/** How many requests to a webhook may wait at a time. */
const most = 100
/** How many events a request takes at most, and how many pointers are read at once to count them. */
const mostInSpan = { events: 10_000, read: 1000 }

/**
 * Requests that an event be sent again.
 * @returns `waits` when it is not noted, since the event's regular attempt is still to come; `full` when too
 * many wait already.
 */
export async function ask(id: Receiver.Id, n: number): Promise<"noted" | "waits" | "full"> {
  const seen = await Delivery.get(id)
  if (seen && isBeforeItsTurn(seen, n)) return "waits"
  return (await note(id, n)) ? "noted" : "full"
}

/**
 * Whether an event's next attempt is still to begin. If its turn has come and a deliverer is at work, its
 * receiver may have it already: the outcome is written a moment later.
 */
function isBeforeItsTurn({ head, holder }: Delivery.Info, n: number): boolean {
  return n > head + 1 || (n === head + 1 && holder === Delivery.nobody)
}

/**
 * Notes a request. The list and the promise to look are in one row: a process that dies here has either
 * requested nothing, or the sweep finds its request. Where the answer of the store is lost, it may be there
 * twice, which sends an event twice, under its id.
 * @returns false when the list is full, or there is no such webhook
 */
async function note(id: Receiver.Id, asked: Delivery.Asked): Promise<boolean> {
  const mustRing = await Delivery.updateAndPromise(id, {
    set: "resend = list_append(if_not_exists(resend, :none), :asked)",
    condition: "(attribute_not_exists(resend) OR size(resend) < :most)",
    values: { ":none": [], ":asked": [asked], ":most": most },
  })
  if (mustRing === undefined) return false
  // If this fails, the sweep rings.
  if (mustRing) await ring(id).catch((error: unknown) => log.warn({ ...id, error }, "doorbell not sent"))
  return true
}

/** What was given up from `since` until `until` (Unix seconds, both included), behind the event `after`. */
export interface Span {
  since: number
  until?: number | undefined
  after?: number | undefined
}

/**
 * Requests that what was given up in a span of time be sent again, oldest first. An event that fails keeps
 * its place on the list of undelivered ones; after three in a row the rest is not tried.
 * @returns how many were requested, and the number of the last one where there are more: `full` when too many
 * requests wait already.
 */
export async function askSpan(
  id: Receiver.Id,
  { since, until = Infinity, after = 0 }: Span,
): Promise<{ count: number; more?: number } | "full"> {
  let [count, first, last] = [0, 0, 0]
  let isMore = false
  for await (const { n, at } of EventLists.pointersOn(id, "undelivered", { after }, mostInSpan.read)) {
    if (at < since || at > until) continue
    isMore = count === mostInSpan.events
    if (isMore) break
    count++
    first ||= n
    last = n
  }
  if (count === 0) return { count }
  if (!(await note(id, { after: first - 1, to: last, events: count }))) return "full"
  return { count, ...(isMore && { more: last }) }
}

/** How many events of a span may fail in a row. */
const mostFailures = 3

/**
 * Counts the attempt that is about to be made for the first resend in the list; undefined when the claim is
 * lost.
 */
export async function countAttempt(held: Delivery.Info): Promise<Delivery.Info | undefined> {
  return await count(held, "resend_attempt", {
    condition: "resend[0] = :n",
    values: { ":n": held.resend[0] },
  })
}

/** The same for an event that is sent again by itself. */
export async function countHealing(held: Delivery.Info): Promise<Delivery.Info | undefined> {
  return await count(held, "heal_attempt", { condition: "attribute_exists(healing)", values: {} })
}

async function count(held: Delivery.Info, name: string, also: { condition: string; values: Row }) {
  const { held: counted } = await Delivery.update(held, {
    UpdateExpression: `SET ${name} = if_not_exists(${name}, :zero) + :one`,
    ConditionExpression: `holder = :me AND ${also.condition}`,
    ExpressionAttributeValues: { ":zero": 0, ":one": 1, ":me": held.holder, ...also.values },
  })
  return counted
}

/**
 * An attempt at an event of the first resend in the list has ended, or there is none to be made: takes it off
 * the list, or moves its span on to what is behind the event `n`. If the event was undelivered until now, its
 * row says that it is delivered, and it is listed no more.
 * @returns the row as it is now; undefined when the claim is lost.
 */
export async function settle(held: Delivery.Info, made?: Made): Promise<Delivery.Info | undefined> {
  const [first] = held.resend
  const resent = resentBy(held, made)
  const healing = made?.delivered ? Healing.passing(held) : { set: "", remove: "", values: {} }
  return await settleAgain(held, made, {
    set: `resend_attempt = :zero${resent ? ", resent = :resent" : ""}${healing.set}`,
    remove: `${resent ? "" : ", resend[0], resent"}${healing.remove}`,
    condition: "resend[0] = :n AND resend_attempt > :zero",
    values: { ":n": first, ...(resent && { ":resent": resent }), ...healing.values },
    isOurs: ({ resendAttempt }) => resendAttempt === 0,
  })
}

/** What was made of sending an event again; `counts` has no attempt if there was none. */
export interface Made {
  n: number
  counts: Usage.Step
  delivered: EventRow.Info | undefined
}

/** How far the first request has come, unless it is done: its span has ended, or has failed too often. */
function resentBy(
  { resend: [asked], resent }: Delivery.Info,
  made: Made | undefined,
): Delivery.Info["resent"] {
  if (typeof asked !== "object" || !made) return undefined
  const failed = made.delivered ? 0 : (resent?.failed ?? 0) + 1
  if (failed === mostFailures || made.n >= asked.to) return undefined
  return { after: made.n, tried: (resent?.tried ?? 0) + 1, failed }
}

/**
 * Takes the healing of a delivery on by an attempt, or by none: what of it is left is in `update`.
 * @returns the row as it is now; undefined when the claim is lost.
 */
export async function settleHealing(
  held: Delivery.Info,
  update: ReturnType<typeof Healing.writing>,
  made?: Made,
): Promise<Delivery.Info | undefined> {
  const isBack = made?.delivered !== undefined && held.failingSince !== undefined
  return await settleAgain(held, made, {
    set: `heal_attempt = :zero${update.set}${isBack ? ", failed_until = :now" : ""}`,
    remove: `${isBack ? ", failing_since" : ""}${update.remove}`,
    condition: made ? "heal_attempt > :zero" : "attribute_exists(healing)",
    values: { ...update.values, ...(isBack && { ":now": now() }) },
    isOurs: ({ healAttempt }) => healAttempt === 0,
  })
}

/** The parts of an update of the row of a delivery that is held, and whether a row shows that it was made. */
interface Done {
  set: string
  remove: string
  condition: string
  values: Row
  isOurs: (row: Delivery.Info) => boolean
}

async function settleAgain(
  held: Delivery.Info,
  made: Made | undefined,
  { isOurs, ...parts }: Done,
): Promise<Delivery.Info | undefined> {
  const { holder } = held
  const givenUpAt = made?.delivered && (await EventLists.givenUpAt(held, made.delivered))
  const list = givenUpAt === undefined ? inboxOf(held, made?.delivered) : "undelivered"
  const end = list && ("redelivered" as const)
  const usage = await Claim.counting(held, made ? [{ ...made.counts, end }] : [])
  const known = withoutGivenUp(held, givenUpAt)
  const removed = `${parts.remove}${known.remove}`
  const done = {
    UpdateExpression:
      `SET attempts = attempts + :attempts, ${parts.set}${usage.set}${known.set}` +
      (removed === "" ? "" : ` REMOVE ${removed.slice(2)}`),
    ConditionExpression: `holder = :me AND ${parts.condition}`,
    ExpressionAttributeValues: {
      ...(/:zero/.test(`${parts.set}${parts.condition}`) && { ":zero": 0 }),
      ":attempts": made?.counts.attempt ? 1 : 0,
      ":me": holder,
      ...parts.values,
      ...usage.values,
      ...known.values,
    },
  }
  if (!made?.delivered || !list) {
    const { held: settled, refused } = await Delivery.update(held, done)
    // We hold it, and it says what we wrote: our own write, whose answer was lost.
    return settled ?? (refused?.holder === holder && isOurs(refused) ? refused : undefined)
  }
  const write: Write = { Update: { TableName: tables.events, Key: Delivery.key(held), ...done } }
  const outcome = EventLists.settling(held, made.delivered, "delivered")
  const refused = await transact([write, ...outcome, EventLists.unlisting(held, made.delivered, list)])
  if (refused?.[0]) return undefined
  // The event's row may have expired meanwhile.
  if (refused) return await settleAgain(held, { ...made, delivered: undefined }, { isOurs, ...parts })
  return await Claim.reread(held)
}

/** An event that went to the inbox, before the bridge had a webhook, is on the list of the first webhook. */
function inboxOf(held: Delivery.Info, event: EventRow.Info | undefined): "inbox" | undefined {
  return Receiver.isFirst(held) && event?.state === "inbox" ? "inbox" : undefined
}

/** The parts of an update that no longer count an event as given up, if the next delivery would count it. */
function withoutGivenUp({ givenUp, givenUpSince = Infinity }: Delivery.Info, givenUpAt = 0) {
  if (givenUpAt < givenUpSince) return { set: "", remove: "", values: {} }
  if (givenUp === 1) return { set: "", remove: ", given_up, given_up_since", values: {} }
  return { set: ", given_up = :given_up", remove: "", values: { ":given_up": givenUp - 1 } }
}
