export * as Delivery from "./delivery.ts"

import { z } from "zod"
import { latestEnd, now, nowMs, timeLeft } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { batchGet, getRow, type Key, type Row, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { AccountReceivers } from "./account-receivers.ts"
import { Receiver } from "./receiver.ts"
import { Usage } from "./usage.ts"

const Missed = z.object({
  /** How many events of the bridge it has missed, whether or not it wanted them. */
  events: z.number().int(),
  /** The id of the first missed event, if the event was still there. */
  first: z.string(),
  /** When it last missed some, Unix seconds. */
  at: z.number().int(),
})
export type Missed = z.infer<typeof Missed>

const Skipped = z.object({ after: z.number().int(), to: z.number().int() })
/** Numbers that no event gets: those after `after`, up to `to`. */
export type Skipped = z.infer<typeof Skipped>

const Healing = z.object({
  /** Events up to this number are done with: sent again, or left undelivered. */
  after: z.number().int(),
  /** No turn begins before this, Unix seconds. */
  resumesAt: z.number().int(),
  /** How many turns in a row have ended with no event taken. Each makes the wait for the next one longer. */
  turns: z.number().int(),
  /** How many of these ended though the receiver had taken another event since the one before. */
  strikes: z.number().int(),
  /** Whether the receiver has taken another event since the last turn ended. */
  passed: z.boolean(),
  /** Since the first event was taken again, Unix ms: how many were, and how many were passed over. */
  backMs: z.number().int().optional(),
  sent: z.number().int(),
  left: z.number().int(),
})
/** The undelivered events that are still to be sent again by themselves (`healing.ts`). */
export type Healing = z.infer<typeof Healing>

const Recovered = z.object({
  /** When the first of the events was taken again, Unix seconds. */
  at: z.number().int(),
  events: z.number().int(),
  /** How many failed again while others were taken, and are left undelivered. */
  left: z.number().int(),
  tookMs: z.number().int(),
})
/** The result of the last time that events were sent again by themselves. */
export type Recovered = z.infer<typeof Recovered>

/** Undelivered events that were asked for: `events` of those with numbers after `after`, up to `to`. */
const Span = z.object({ after: z.number().int(), to: z.number().int(), events: z.number().int() })
/** How far the first request has come, if it is a span: how many were tried, and how many failed in a row. */
const Resent = z.object({ after: z.number().int(), tried: z.number().int(), failed: z.number().int() })
/** What was asked to be sent again: an event, or what was given up of a span. */
const Asked = z.union([z.number().int(), Span])
export type Asked = z.infer<typeof Asked>

/**
 * How far the delivery of a bridge's events to one of its webhooks has come. `due` is a promise: by then
 * (Unix seconds) a deliverer will have looked; 0 means that nothing waits. A ringer sets it, a deliverer
 * keeps it in force (`claim.ts`), and only a transaction that sees nothing waiting clears it.
 *
 * Beside it stands `since`, set from the first promise until nothing waits. It puts the row in the sweep's
 * index. It does not change when `due` does, so the index is written only twice. If something was given up
 * that is to be sent again, and nothing waits, it is the time of the next probe, below zero: the sweep then
 * rings.
 */
const Info = z.object({
  bridgeId: z.string(),
  webhookId: z.string(),
  /** The number of the last event whose delivery has ended. */
  head: z.number().int(),
  due: z.number().int(),
  /**
   * Ranges of numbers that no event gets, after `after` and up to `to`: they may have been used before the
   * store came back from a backup. New events begin behind the last range.
   */
  skipped: z.array(Skipped).default([]),
  /** The invocation that delivers; empty when none does. Its claim ends when `due` has passed. */
  holder: z.string(),
  /** Recorded failures of the event after `head`; the budget is five. */
  failures: z.number().int(),
  /**
   * `X-Webhook-Attempt` for the event after `head`: of the next POST while the row is held, of the last POST
   * while it is not. It grows before the POST, so no number is used twice.
   */
  attempt: z.number().int(),
  /** The next attempt must not begin before this, in Unix milliseconds. */
  retryAtMs: z.number().int(),
  /** How many attempts were recorded. The ring of 200 is filled by this number. */
  attempts: z.number().int(),
  /** What was asked to be sent again, each event between two others. */
  resend: z.array(Asked).default([]),
  resent: Resent.optional(),
  /** `X-Webhook-Attempt` for the first event of `resend`. */
  resendAttempt: z.number().int().default(0),
  /** The count of today's events; absent before the first. */
  today: Usage.Day.optional(),
  /** The doorbell that waits for the next attempt, as the queue names it. */
  bell: z.string().optional(),
  /** Since when nothing was delivered, though it was tried; absent after a success. */
  failingSince: z.number().int().optional(),
  /**
   * How many events were given up since the webhook last took one, without those that it took when they were
   * sent again. The next delivery says so.
   */
  givenUp: z.number().int().default(0),
  /** When the first of them was given up, Unix seconds; absent if there are none. */
  givenUpSince: z.number().int().optional(),
  /** Whether it sends again by itself what was given up, once its receiver answers again. */
  heals: z.boolean().default(false),
  /** What is still to be sent again so; absent if nothing is. */
  healing: Healing.optional(),
  /** `X-Webhook-Attempt` of the event that is sent again so just now; 0 between two. */
  healAttempt: z.number().int().default(0),
  /** What was last sent again so. */
  recovered: Recovered.optional(),
  /** When it last recovered from failures or was resumed: what waited until then is not late by our fault. */
  failedUntil: z.number().int().optional(),
  /**
   * Since when it is paused: it keeps its place, and no deliverer is due to look. Only of a further webhook.
   */
  pausedAt: z.number().int().optional(),
  /** Its account's webhook was deleted: whoever looks at it next removes it. */
  isRemoved: z.boolean().default(false),
  /**
   * Only in the row of the first webhook: the number of the newest event when the bridge came from another
   * service. An account's webhook gets those after it.
   */
  arrived: z.number().int().default(0),
  /** Its bridge has moved to another service: nothing is delivered from here. */
  isMoved: z.boolean(),
  /** The events that it has passed over because they had waited for too long, or were gone. */
  missed: Missed.optional(),
  /** The number of the newest event at its creation: it gets those after it. */
  start: z.number().int().default(0),
  /** When it was made; absent for the first, which is as old as its bridge. */
  createdAt: z.number().int().optional(),
  /** Up to so many events in one POST; absent: one, and in another form. */
  batch: z.number().int().optional(),
  /** The last event of a batch that failed: it is tried again with no other. */
  batchEnd: z.number().int().optional(),
  /** Only in the row of the first webhook: the ids of the bridge's further ones, oldest first. */
  further: z.array(z.string()).default([]),
  /**
   * Only there: how often a webhook of the bridge was added, removed, or given another URL. Who does so must
   * have seen the latest, so no two get one URL.
   */
  webhookChanges: z.number().int().default(0),
  receiver: z.custom<Receiver.Info>(),
})
export type Info = z.infer<typeof Info>

export const nobody = ""

export const { key, first } = Receiver

/**
 * How long a claim lasts, in seconds: longer than an invocation may run, so that a claim outlives its
 * invocation.
 */
export function claimedFor(): number {
  return config.DELIVERY_CLAIM_S
}

/** How late a promise to look may be kept before it counts as broken. In seconds: a minute. */
export function allowedLateness(): number {
  return Math.ceil((claimedFor() * 2) / 3)
}

/** The longest wait between two attempts, in seconds. */
export const longestWait = 180

/** For how long the next attempt is still to wait, ms. */
export function waitMs({ retryAtMs }: Pick<Info, "retryAtMs">): number {
  return timeLeft(retryAtMs, longestWait * 1000, nowMs())
}

/** The longest time for which a promise to look is given, in seconds. */
export function promisedFor(): number {
  return Math.max(claimedFor(), longestWait + allowedLateness())
}

/** Whether a look is promised, and there is time left for it. */
export function isPromised({ due }: Pick<Info, "due">): boolean {
  return timeLeft(due, promisedFor()) > 0
}

/** Whether nothing is delivered, and no deliverer is due to look: it is paused, or its bridge has moved. */
export function isPausedOrMoved(one: Pick<Info, "webhookId" | "pausedAt" | "isMoved">): boolean {
  return (one.pausedAt !== undefined && !isResting(one)) || one.isMoved
}

/**
 * Whether its account's webhook is paused. One write pauses and resumes it for all bridges, so deliverers of
 * what waits look again and again.
 */
export function isResting(one: Pick<Info, "webhookId" | "pausedAt">): boolean {
  return one.pausedAt !== undefined && Receiver.isOfAccount(one)
}

/** The part of an update that counts an event that is given up. It needs `:zero`, `:one` and `:now`. */
export const givingUpClause =
  "given_up = if_not_exists(given_up, :zero) + :one, given_up_since = if_not_exists(given_up_since, :now)"

/** The part of a condition that holds once `due` has passed. */
export const ifDuePassed = "(due < :now OR due > :latest)"

/** The values of that part. */
export function ifDuePassedValues() {
  return { ":now": now(), ":latest": latestEnd(promisedFor()) }
}

/** New events have higher numbers than this. */
export function highestNumberUsed({ head, skipped }: Pick<Info, "head" | "skipped">): number {
  return Math.max(head, skipped.at(-1)?.to ?? 0)
}

/** How many events wait, where `newest` is the number of the newest one. */
export function waiting({ head, skipped }: Pick<Info, "head" | "skipped">, newest: number): number {
  const gaps = skipped.filter(({ to }) => to < newest).map(({ after, to }) => to - Math.max(after, head))
  return gaps.reduce((left, gap) => left - Math.max(0, gap), Math.max(0, newest - head))
}

/** Skips numbers: no event gets them from now on. Nothing must be appended meanwhile. */
export async function skipNumbers(seen: Info, numbers: Skipped): Promise<void> {
  await update(seen, {
    UpdateExpression: "SET skipped = :skipped",
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeValues: { ":skipped": skippedWith(seen, numbers) },
  })
}

/** What is skipped once these numbers are, too: ranges that the delivery has passed are forgotten. */
export function skippedWith({ head, skipped }: Info, numbers: Skipped): Skipped[] {
  return [...skipped.filter(({ to }) => to > head), numbers]
}

/** Reads consistently. */
export async function get(id: Receiver.Id): Promise<Info | undefined> {
  const row = await getRow(tables.events, key(id))
  return row && (await fromRow(row))
}

/** The deliveries of these bridges by the bridges' ids, that of the first webhook first. */
export async function byIds(bridgeIds: string[]): Promise<Map<string, Info[]>> {
  const firsts = await list(bridgeIds.map(first))
  const further = firsts.flatMap((one) =>
    one.further.map((webhookId) => ({ bridgeId: one.bridgeId, webhookId })),
  )
  const found = new Map(firsts.map((one) => [one.bridgeId, [one]]))
  for (const one of await list(further)) found.get(one.bridgeId)?.push(one)
  return found
}

/** Those of these deliveries that there are. */
export async function list(ids: Receiver.Id[]): Promise<Info[]> {
  const rows = await batchGet(ids.map((id) => ({ table: tables.events, key: key(id) })))
  const found = await Promise.all(rows.flatMap((row) => (row ? [fromRow(row)] : [])))
  return found.filter(({ isRemoved }) => !isRemoved)
}

/**
 * The deliveries of a bridge, that of the first webhook first; none once it is deleted. Reads consistently.
 */
export async function ofBridge(bridgeId: string): Promise<Info[]> {
  const delivery = await get(first(bridgeId))
  return delivery ? [delivery, ...(await furtherOf(delivery))] : []
}

async function furtherOf({ bridgeId, further }: Info): Promise<Info[]> {
  const found = await Promise.all(further.map((webhookId) => get({ bridgeId, webhookId })))
  // One that is missing was deleted between the two reads.
  return found.filter((delivery) => delivery !== undefined).filter(({ isRemoved }) => !isRemoved)
}

/**
 * Part of every promise: puts the row in the sweep's index, if it is not there yet, or only for its next
 * probe.
 */
export const indexClause =
  "since = if_not_exists(waiting_since, :now), waiting_since = if_not_exists(waiting_since, :now)"

/** Part of the update that ends the last promise: no look is due before the next probe, if there is one. */
export function outOfIndex(probeAt: number | undefined) {
  if (probeAt === undefined) return { set: "", remove: "since, waiting_since", values: {} }
  // Below zero, so that the sweep tells it from the time since which something waits.
  return { set: ", since = :probe", remove: "waiting_since", values: { ":probe": -probeAt } }
}

/**
 * Sets `due`, if it still has the value that was seen: 0 or past. It also clears the holder, whose time is
 * over. A holder left in place would get a new term, and the next bell would be turned away.
 * @returns false when another process has changed `due` meanwhile.
 */
export async function promise(id: Receiver.Id, seenDue: number): Promise<boolean> {
  const due = now() + claimedFor()
  const { held, refused } = await update(id, {
    UpdateExpression: `SET due = :due, holder = :nobody, ${indexClause}`,
    ConditionExpression: "due = :seen",
    ExpressionAttributeValues: { ":due": due, ":nobody": nobody, ":seen": seenDue, ":now": now() },
  })
  // The value that refused us is the one we wrote: most likely our own write, whose answer was lost. An extra
  // bell does no harm.
  return held !== undefined || refused?.due === due
}

/**
 * Gives a delivery something to do and, unless a promise to look is in force, promises a look in the same
 * update: if this process dies afterwards, the sweep finds the work.
 * @param change what the update sets, and its further condition
 * @returns whether the caller has to ring; undefined when the condition does not hold, or there is no row
 */
export async function updateAndPromise(
  id: Receiver.Id,
  change: { set: string; remove?: string; condition: string; values: Row },
): Promise<boolean | undefined> {
  const remove = change.remove === undefined ? "" : ` REMOVE ${change.remove}`
  let promised: number | undefined
  for (;;) {
    const seen = await get(id)
    if (!seen) return undefined
    // The value that was seen is the one we wrote: our own write, whose answer was lost.
    if (seen.due === promised) return true
    const isInForce = isPromised(seen)
    const due = now() + claimedFor()
    const { held, refused } = await update(id, {
      UpdateExpression: isInForce
        ? `SET ${change.set}${remove}`
        : `SET ${change.set}, due = :due, holder = :nobody, ${indexClause}${remove}`,
      ConditionExpression: `due = :seen AND ${change.condition}`,
      ExpressionAttributeValues: {
        ...change.values,
        ":seen": seen.due,
        ...(!isInForce && { ":due": due, ":nobody": nobody, ":now": now() }),
      },
    })
    if (held) return !isInForce
    if (!refused || refused.due === seen.due) return undefined
    if (!isInForce) promised = due
  }
}

/**
 * Renews a promise that was due when the whole service died, and clears the holder, which died with it. Only
 * for starting a service on one machine, before anybody delivers.
 * @returns false when nothing is due.
 */
export async function renewPromise(seen: Info): Promise<boolean> {
  if (seen.due === 0) return false
  const { held } = await update(seen, {
    UpdateExpression: `SET due = :due, holder = :nobody, ${indexClause}`,
    ConditionExpression: "due > :zero",
    ExpressionAttributeValues: {
      ":due": now() + Math.max(claimedFor(), Math.ceil(waitMs(seen) / 1000) + allowedLateness()),
      ":nobody": nobody,
      ":now": now(),
      ":zero": 0,
    },
  })
  return held !== undefined
}

type Change = Omit<Parameters<typeof updateRow>[0], "TableName" | "Key">

/**
 * One conditional update: `held` is the row as it is now, `refused` the row that refused it; neither if there
 * is no row.
 */
export async function update(
  id: Receiver.Id,
  input: Change,
  options: Parameters<typeof updateRow>[1] = {},
): Promise<{ held?: Info; refused?: Info }> {
  const row = await updateRow({ ...input, TableName: tables.events, Key: key(id) }, options)
  if ("now" in row) return { held: await fromRow(row.now) }
  return "pk" in row.refused ? { refused: await fromRow(row.refused) } : {}
}

/** Parses a stored row. If it is of an account's webhook, what the account has chosen is added. */
export async function fromRow(row: Row): Promise<Info> {
  const found = parsed(row)
  const { receiver, webhookId, bridgeId } = found
  if (!Receiver.isOfAccount(found) || bridgeId === receiver.accountId) return found
  const chosen = await AccountReceivers.get(receiver.accountId, webhookId)
  if (!chosen) return { ...found, isRemoved: true }
  const { batch, pausedAt, heals } = chosen
  return { ...found, batch, pausedAt, heals, receiver: Receiver.atBridge(receiver, chosen.receiver) }
}

function parsed(row: Row): Info {
  const id = Receiver.ofKey(row as Row & Key)! // a row of this kind
  return Info.parse({
    ...row,
    ...id,
    retryAtMs: row.retry_at_ms,
    resendAttempt: row.resend_attempt,
    healAttempt: row.heal_attempt,
    failingSince: row.failing_since,
    givenUp: row.given_up,
    givenUpSince: row.given_up_since,
    failedUntil: row.failed_until,
    pausedAt: row.paused_at,
    isMoved: row.moved ?? false,
    webhookChanges: row.webhook_changes,
    arrived: row.arrived,
    createdAt: row.created_at,
    batchEnd: row.batch_end,
    receiver: Receiver.fromRow(id, row),
  })
}
