export * as Delivery from "./delivery.ts"

import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { now, nowMs } from "./clock.ts"
import { config } from "./config.ts"
import { ring } from "./doorbell.ts"
import { EventRow } from "./event-row.ts"
import { EventList } from "./event-list.ts"
import { log } from "./log.ts"
import {
  get as getRow,
  put,
  query,
  remove as removeRow,
  type Row,
  transact,
  update as updateRow,
} from "./store.ts"
import { bridgeIdOf, events } from "./tables.ts"

/**
 * How far the delivery of a bridge's events has come. `due` is the promise that by then somebody will have looked
 * (Unix seconds); 0 means that nothing waits. Whoever rings sets it, whoever delivers keeps it in force, and it is
 * cleared only in a transaction that sees that nothing waits.
 */
const Info = z.object({
  bridgeId: z.string(),
  /** The number of the last event whose delivery has ended. */
  head: z.number().int(),
  due: z.number().int(),
  /** The invocation that delivers; empty when none does. Its time is over when `due` has passed. */
  holder: z.string(),
  /** Recorded failures of the event after `head`: the budget of five. */
  failures: z.number().int(),
  /** `X-Webhook-Attempt` of the last POST of that event. Grows before the POST, so no number is used twice. */
  attempt: z.number().int(),
  /** Not before this the next attempt, Unix milliseconds. */
  retryAtMs: z.number().int(),
  /** Attempts ever made: the ring of 200 is filled by this number. */
  attempts: z.number().int(),
  /** The numbers of events that are to be sent once more, between two others. */
  resend: z.array(z.number().int()).default([]),
  /** `X-Webhook-Attempt` of the first of these. */
  resendAttempt: z.number().int().default(0),
})
export type Info = z.infer<typeof Info>

/** Longer than an invocation may run, so that a claim outlives whoever made it. In seconds. */
export const claimedFor = config.DELIVERY_CLAIM_S
/** After a promise to look is over, it may be kept late for so long; then it is broken. In seconds: a minute. */
export const lateness = Math.ceil((claimedFor * 2) / 3)
const shards = 16
const nobody = ""

export function key(bridgeId: string) {
  return { pk: `BRIDGE#${bridgeId}`, sk: "DELIVERY" }
}

/** Read consistently. */
export async function get(bridgeId: string): Promise<Info | undefined> {
  const row = await getRow(events, key(bridgeId))
  return row && fromRow(row)
}

/**
 * A producer's duty after it has committed an event: if nobody is due to look, it promises that somebody will, and rings.
 * Tried until it is done, or until `signal` says that it is somebody else's duty by now. Never rejects.
 */
export async function wake(bridgeId: string, signal?: AbortSignal): Promise<void> {
  // Whoever has promised must ring: to everybody else somebody seems to be due.
  let hasPromised = false
  for (let tries = 0; !signal?.aborted; tries++) {
    try {
      hasPromised ||= await promiseUnlessDue(bridgeId)
      if (hasPromised) await ring(bridgeId)
      return
    } catch (error) {
      log.warn({ bridgeId, tries, error }, "the delivery was not woken")
      await sleep(Math.min(10_000, 100 * 2 ** tries), undefined, { ref: false })
    }
  }
}

/** As `wake`, but rings in any case: whoever promised to may have died before. Never rejects. */
export async function ringAnew(bridgeId: string, signal?: AbortSignal): Promise<void> {
  for (let tries = 0; !signal?.aborted; tries++) {
    try {
      await promiseUnlessDue(bridgeId)
      await ring(bridgeId)
      return
    } catch (error) {
      log.warn({ bridgeId, tries, error }, "the delivery was not woken")
      await sleep(Math.min(10_000, 100 * 2 ** tries), undefined, { ref: false })
    }
  }
}

/** @returns false when somebody is due to look already. */
async function promiseUnlessDue(bridgeId: string): Promise<boolean> {
  for (;;) {
    const seen = await get(bridgeId)
    if (seen && seen.due > now()) return false
    if (await promise(bridgeId, seen?.due)) return true
  }
}

/**
 * Sets `due`, if it is still what was seen: 0, or over. A holder whose time is over with it holds no more; were it left
 * in place, its time would begin anew and the bell that follows would be sent away.
 * @returns false when somebody else changed it meanwhile.
 */
export async function promise(bridgeId: string, seenDue: number | undefined): Promise<boolean> {
  if (seenDue === undefined) return await begin(bridgeId)
  const due = now() + claimedFor
  const { held, refused } = await update(bridgeId, {
    UpdateExpression: "SET due = :due, holder = :nobody",
    ConditionExpression: "due = :seen",
    ExpressionAttributeValues: { ":due": due, ":nobody": nobody, ":seen": seenDue },
  })
  // Refused by the very value: most likely our own write, whose answer was lost. A bell too many does no harm.
  return held !== undefined || refused?.due === due
}

/**
 * Takes the delivery of a bridge for an invocation.
 * @returns the row as held; `early` with the milliseconds to wait when a failed event is not to be tried yet;
 * undefined when somebody else is looking, or when there never was an event.
 */
export async function claim(bridgeId: string, holder: string): Promise<Info | { early: number } | undefined> {
  const { held, refused: seen } = await update(bridgeId, {
    UpdateExpression: "SET holder = :me, due = :due",
    ConditionExpression: "(holder = :nobody OR due < :now) AND retry_at_ms <= :now_ms",
    ExpressionAttributeValues: {
      ":me": holder,
      ":due": now() + claimedFor,
      ":nobody": nobody,
      ":now": now(),
      ":now_ms": nowMs(),
    },
  })
  if (held) return held
  // Our own claim, whose answer was lost on its way.
  if (seen?.holder === holder) return seen
  if (seen && seen.holder === nobody && seen.retryAtMs > nowMs()) return { early: seen.retryAtMs - nowMs() }
  return undefined
}

/** The number of the attempt that is about to be made; undefined when the claim is lost. */
export async function countAttempt(held: Info): Promise<Info | undefined> {
  const { held: counted } = await update(held.bridgeId, {
    UpdateExpression: "SET attempt = attempt + :one, attempts = attempts + :one",
    ConditionExpression: "holder = :me AND head = :head",
    ExpressionAttributeValues: { ":one": 1, ":me": held.holder, ":head": held.head },
  })
  return counted
}

/**
 * The event after `head` has its outcome: it is written, and `head` goes on.
 * @returns the row as it is now; undefined when the claim is lost.
 */
export async function advance(
  held: Info,
  outcome: "delivered" | "undelivered" | "inbox",
): Promise<Info | undefined> {
  const n = held.head + 1
  const event = { bridgeId: held.bridgeId, n }
  const refused = await transact([
    EventRow.outcome(event, outcome),
    {
      Update: {
        TableName: events,
        Key: key(held.bridgeId),
        UpdateExpression: "SET head = :n, failures = :zero, attempt = :zero, retry_at_ms = :zero",
        ConditionExpression: "head = :head AND holder = :me",
        ExpressionAttributeValues: { ":n": n, ":zero": 0, ":head": held.head, ":me": held.holder },
      },
    },
    ...(outcome === "delivered" ? [] : [EventList.pointer(event, outcome)]),
  ])
  if (refused) return undefined
  return { ...held, head: n, failures: 0, attempt: 0, retryAtMs: 0 }
}

/** A failure to be tried again after `wait` seconds, and the end of this claim. */
export async function fail(held: Info, wait: number): Promise<void> {
  await update(held.bridgeId, {
    UpdateExpression:
      "SET failures = failures + :one, due = :due, retry_at_ms = :retry_at_ms, holder = :nobody",
    ConditionExpression: "holder = :me AND head = :head",
    ExpressionAttributeValues: {
      ":one": 1,
      ":due": now() + wait + lateness,
      ":retry_at_ms": nowMs() + wait * 1000,
      ":nobody": nobody,
      ":me": held.holder,
      ":head": held.head,
    },
  })
}

/**
 * Nothing waits: the claim ends, unless an event was appended or a resend asked for meanwhile. One transaction, so that
 * there is no moment in which nobody is due to look although something waits.
 * @returns the row, still held, when there is more to do; undefined when the claim has ended, here or before.
 */
export async function goIdle(held: Info): Promise<Info | undefined> {
  const refused = await transact([
    {
      ConditionCheck: {
        TableName: events,
        Key: EventRow.key(held.bridgeId, held.head + 1),
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    {
      Update: {
        TableName: events,
        Key: key(held.bridgeId),
        UpdateExpression: "SET due = :zero, holder = :nobody",
        ConditionExpression: "holder = :me AND (attribute_not_exists(resend) OR size(resend) = :zero)",
        ExpressionAttributeValues: { ":zero": 0, ":nobody": nobody, ":me": held.holder },
      },
    },
  ])
  if (!refused) return undefined
  const [, row] = refused
  if (!row) return held
  const seen = "pk" in row ? fromRow(row) : undefined
  return seen?.holder === held.holder ? seen : undefined
}

/** Ends the claim with more to do: a fresh doorbell goes on, so that no doorbell is received more than some ten times. */
export async function passOn(held: Info): Promise<void> {
  const { held: freed, refused } = await update(held.bridgeId, {
    UpdateExpression: "SET holder = :nobody, due = :due",
    ConditionExpression: "holder = :me",
    ExpressionAttributeValues: { ":nobody": nobody, ":due": now() + claimedFor, ":me": held.holder },
  })
  // Held by nobody already: our own write, whose answer was lost.
  if (freed || refused?.holder === nobody) await ring(held.bridgeId)
}

const Overdue = z.object({ pk: z.string(), due: z.number().int() })

/** What is overdue: the promise of `due` was broken, by a crash or a lost doorbell. The index may be late. */
export async function* overdue(before: number): AsyncGenerator<Pick<Info, "bridgeId" | "due">> {
  for (let shard = 0; shard < shards; shard++) {
    const rows = query({
      TableName: events,
      IndexName: "byDue",
      KeyConditionExpression: "#shard = :shard AND due BETWEEN :one AND :before",
      ExpressionAttributeNames: { "#shard": "shard" },
      ExpressionAttributeValues: { ":shard": shard, ":one": 1, ":before": before },
    })
    for await (const row of rows) {
      const { pk, due } = Overdue.parse(row)
      yield { bridgeId: bridgeIdOf(pk), due }
    }
  }
}

/** The bridge is gone: so is its delivery. */
export async function remove(bridgeId: string): Promise<void> {
  await removeRow({ TableName: events, Key: key(bridgeId) })
}

async function begin(bridgeId: string): Promise<boolean> {
  const row: Row = {
    ...key(bridgeId),
    shard: parseInt(bridgeId.slice(-1), 16) % shards,
    due: now() + claimedFor,
    head: 0,
    holder: nobody,
    failures: 0,
    attempt: 0,
    attempts: 0,
    retry_at_ms: 0,
    resend: [],
    resend_attempt: 0,
  }
  const there = await put({
    TableName: events,
    Item: row,
    ConditionExpression: "attribute_not_exists(pk)",
  })
  // Refused by the very value: most likely our own row, whose answer was lost.
  return !there || there.due === row.due
}

type Change = Omit<Parameters<typeof updateRow>[0], "TableName" | "Key">

/** One conditional update: the row as it is now, or as it was when it refused; nothing where there is none. */
export async function update(bridgeId: string, input: Change): Promise<{ held?: Info; refused?: Info }> {
  const row = await updateRow({ ...input, TableName: events, Key: key(bridgeId) })
  if ("now" in row) return { held: fromRow(row.now) }
  return "pk" in row.refused ? { refused: fromRow(row.refused) } : {}
}

function fromRow(row: Row): Info {
  return Info.parse({
    ...row,
    bridgeId: bridgeIdOf(row.pk),
    retryAtMs: row.retry_at_ms,
    resendAttempt: row.resend_attempt,
  })
}
