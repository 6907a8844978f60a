export * as Resend from "./resend.ts"

import { now } from "../platform/clock.ts"
import { log } from "../platform/log.ts"
import { transact, type Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Claim } from "./claim.ts"
import { Delivery } from "./delivery.ts"
import { ring } from "./doorbell.ts"
import { EventLists } from "./event-lists.ts"
import type { EventRow } from "./event-row.ts"
import { Receiver } from "./receiver.ts"
import type { Usage } from "./usage.ts"

/** How many resends to a webhook may wait at a time. */
const most = 100

/**
 * Requests that an event be sent again.
 * @returns `waits` when it is not noted, since the event's regular attempt is still to come; `full` when too
 * many wait already.
 */
export async function ask(id: Receiver.Id, n: number): Promise<"noted" | "waits" | "full"> {
  const seen = await Delivery.get(id)
  if (seen && isBeforeItsTurn(seen, n)) return "waits"
  return (await askAll(id, [n])).length > 0 ? "noted" : "full"
}

/**
 * Whether an event's next attempt is still to begin. If its turn has come and a deliverer is at work, its
 * receiver may have it already: the outcome is written a moment later.
 */
function isBeforeItsTurn({ head, holder }: Delivery.Info, n: number): boolean {
  return n > head + 1 || (n === head + 1 && holder === Delivery.nobody)
}

/**
 * Requests that events be sent again: as many of the first ones as there is room for. The list and the
 * promise to look are in one row: a process that dies here has either requested nothing, or the sweep finds
 * its request.
 * @returns those that were requested.
 */
async function askAll(id: Receiver.Id, wanted: number[]): Promise<number[]> {
  let promised: number | undefined
  for (;;) {
    const seen = await Delivery.get(id)
    if (!seen) return []
    const numbers = wanted.slice(0, most - seen.resend.length)
    // What we see is our own write, whose answer was lost.
    if (seen.due === promised && wanted.slice(0, 1).every((n) => seen.resend.includes(n))) {
      await rung(id)
      return wanted.filter((n) => seen.resend.includes(n))
    }
    if (numbers.length === 0) return []

    const append = "resend = list_append(if_not_exists(resend, :none), :numbers)"
    const room = "(attribute_not_exists(resend) OR size(resend) <= :room)"
    const values = { ":none": [], ":numbers": numbers, ":room": most - numbers.length }
    if (Delivery.isPromised(seen)) {
      const { held } = await Delivery.update(id, {
        UpdateExpression: `SET ${append}`,
        ConditionExpression: `due > :now AND ${room}`,
        ExpressionAttributeValues: { ...values, ":now": now() },
      })
      if (held) return numbers
      continue
    }
    promised = now() + Delivery.claimedFor()
    const { held } = await Delivery.update(id, {
      UpdateExpression: `SET ${append}, due = :due, holder = :nobody, ${Delivery.indexClause}`,
      ConditionExpression: `due = :seen AND ${room}`,
      ExpressionAttributeValues: {
        ...values,
        ":due": promised,
        ":nobody": Delivery.nobody,
        ":seen": seen.due,
        ":now": now(),
      },
    })
    if (!held) continue
    await rung(id)
    return numbers
  }
}

/**
 * Requests that what was given up at this time (Unix seconds) or later be sent again, oldest first, beginning
 * behind the event `after`, as far as there is room.
 * @returns the events that were requested, and whether there are more.
 */
export async function askSince(
  id: Receiver.Id,
  { since, after }: { since: number; after: number },
): Promise<{ events: EventRow.Info[]; isAll: boolean }> {
  const waiting = new Set((await Delivery.get(id))?.resend)
  const found: EventRow.Info[] = []
  let isAll = true
  for await (const event of EventLists.onList(id, "undelivered", { after }, since)) {
    if (waiting.has(event.n)) continue
    isAll = found.length < most
    if (!isAll) break
    found.push(event)
  }
  if (found.length === 0) return { events: [], isAll }
  const asked = new Set(
    await askAll(
      id,
      found.map(({ n }) => n),
    ),
  )
  return { events: found.filter(({ n }) => asked.has(n)), isAll: isAll && asked.size === found.length }
}

/** If this fails, the sweep rings. */
async function rung(id: Receiver.Id): Promise<void> {
  await ring(id).catch((error: unknown) => log.warn({ ...id, error }, "doorbell not sent"))
}

/**
 * Counts the attempt that is about to be made for the first resend in the list; undefined when the claim is
 * lost.
 */
export async function countAttempt(held: Delivery.Info): Promise<Delivery.Info | undefined> {
  const { held: counted } = await Delivery.update(held, {
    UpdateExpression: "SET resend_attempt = if_not_exists(resend_attempt, :zero) + :one",
    ConditionExpression: "holder = :me AND resend[0] = :n",
    ExpressionAttributeValues: { ":zero": 0, ":one": 1, ":me": held.holder, ":n": held.resend[0] },
  })
  return counted
}

/**
 * Takes the first resend off the list, after an attempt or without one. If the event was undelivered until
 * now, its row says that it is delivered, and it is listed no more.
 * @returns the row as it is now; undefined when the claim is lost.
 */
export async function settle(
  held: Delivery.Info,
  made?: { counts: Usage.Step; delivered: EventRow.Info | undefined },
): Promise<Delivery.Info | undefined> {
  const { holder, resend } = held
  const givenUpAt = made?.delivered && (await EventLists.givenUpAt(held, made.delivered))
  const list = givenUpAt === undefined ? inboxOf(held, made?.delivered) : "undelivered"
  const end = list && ("redelivered" as const)
  const usage = await Claim.counting(held, made ? [{ ...made.counts, end }] : [])
  const known = withoutGivenUp(held, givenUpAt)
  const done = {
    UpdateExpression:
      `SET resend_attempt = :zero, attempts = attempts + :attempts${usage.set}${known.set}` +
      ` REMOVE resend[0]${known.remove}`,
    ConditionExpression: "holder = :me AND resend[0] = :n AND resend_attempt > :zero",
    ExpressionAttributeValues: {
      ":zero": 0,
      ":attempts": made ? 1 : 0,
      ":me": holder,
      ":n": resend[0],
      ...usage.values,
      ...known.values,
    },
  }
  if (!made?.delivered || !list) {
    const { held: settled, refused } = await Delivery.update(held, done)
    // We hold it and no attempt is counted: our own write, whose answer was lost.
    return settled ?? (refused?.holder === holder && refused.resendAttempt === 0 ? refused : undefined)
  }
  const write: Write = { Update: { TableName: tables.events, Key: Delivery.key(held), ...done } }
  const outcome = EventLists.settling(held, made.delivered, "delivered")
  const refused = await transact([write, ...outcome, EventLists.unlisting(held, made.delivered, list)])
  if (refused?.[0]) return undefined
  // The event's row may have expired meanwhile.
  if (refused) return await settle(held, { ...made, delivered: undefined })
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
