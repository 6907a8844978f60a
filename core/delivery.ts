export * as Delivery from "./delivery.ts"

import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { now } from "./clock.ts"
import { config } from "./config.ts"
import { ring } from "./doorbell.ts"
import { log } from "./log.ts"
import { Receiver } from "./receiver.ts"
import {
  get as getRow,
  put,
  query,
  remove as removeRow,
  type Row,
  update as updateRow,
  type Write,
} from "./store.ts"
import { bridgeIdOf, events } from "./tables.ts"

/**
 * How far the delivery of a bridge's events has come. `due` is the promise that by then somebody will have looked
 * (Unix seconds); 0 means that nothing waits. Whoever rings sets it, whoever delivers keeps it in force (`claim.ts`), and
 * it is cleared only in a transaction that sees that nothing waits.
 *
 * Beside it stands `since`, from the first promise until nothing waits: by it the sweep's index finds the row. It does
 * not change with `due`, so that the index is written twice in all.
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
  /**
   * `X-Webhook-Attempt` of that event: of the POST that the holder may make next, or, held by nobody, of the last that
   * was made. It grows before the POST, so no number is used twice.
   */
  attempt: z.number().int(),
  /** Not before this the next attempt, Unix milliseconds. */
  retryAtMs: z.number().int(),
  /** Attempts that were recorded: the ring of 200 is filled by this number. */
  attempts: z.number().int(),
  /** The numbers of events that are to be sent once more, between two others. */
  resend: z.array(z.number().int()).default([]),
  /** `X-Webhook-Attempt` of the first of these. */
  resendAttempt: z.number().int().default(0),
  /** Absent in a row of a service of before, until the first claim on it (`Claim.address`). */
  receiver: z.custom<Receiver.Info>().optional(),
})
export type Info = z.infer<typeof Info>

/** Longer than an invocation may run, so that a claim outlives whoever made it. In seconds. */
export const claimedFor = config.DELIVERY_CLAIM_S
/** After a promise to look is over, it may be kept late for so long; then it is broken. In seconds: a minute. */
export const lateness = Math.ceil((claimedFor * 2) / 3)
const shards = 16
export const nobody = ""

export const key = Receiver.key

/** Read consistently. */
export async function get(bridgeId: string): Promise<Info | undefined> {
  const row = await getRow(events, key(bridgeId))
  return row && fromRow(row)
}

/**
 * A producer's duty after it has committed an event: if nobody is due to look, it promises that somebody will, and rings.
 * Tried until it is done, or until `signal` says that it is somebody else's duty by now. Never rejects.
 * @returns whether it rang: if not, somebody is looking.
 */
export async function wake(bridgeId: string, signal?: AbortSignal): Promise<boolean> {
  // The one who has promised must ring: to everybody else somebody seems to be due.
  let hasPromised = false
  await untilDone(bridgeId, signal, async () => {
    hasPromised ||= await promiseUnlessDue(bridgeId)
    if (hasPromised) await ring(bridgeId)
  })
  return hasPromised
}

/**
 * The duty of whoever takes a bridge over, if something waits or `due` is not 0: it rings in any case, since whoever has
 * promised may have died before the doorbell. Tried as `wake` is. Never rejects.
 */
export async function ringAnew(bridgeId: string, signal?: AbortSignal): Promise<void> {
  await untilDone(bridgeId, signal, async () => {
    await promiseUnlessDue(bridgeId)
    await ring(bridgeId)
  })
}

async function untilDone(
  bridgeId: string,
  signal: AbortSignal | undefined,
  work: () => Promise<void>,
): Promise<void> {
  for (let tries = 0; !signal?.aborted; tries++) {
    try {
      return await work()
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

/** Part of every promise: the row is in the sweep's index from now on, if it was not before. */
export const inIndex = "since = if_not_exists(since, :now)"

/**
 * Sets `due`, if it is still what was seen: 0, or over. A holder whose time is over with it holds no more; were it left
 * in place, its time would begin anew and the bell that follows would be sent away.
 * @returns false when somebody else changed it meanwhile.
 */
export async function promise(bridgeId: string, seenDue: number | undefined): Promise<boolean> {
  const due = now() + claimedFor
  if (seenDue === undefined) return await begin(bridgeId, { due })
  const { held, refused } = await update(bridgeId, {
    UpdateExpression: `SET due = :due, holder = :nobody, ${inIndex}`,
    ConditionExpression: "due = :seen",
    ExpressionAttributeValues: { ":due": due, ":nobody": nobody, ":seen": seenDue, ":now": now() },
  })
  // Refused by the very value: most likely our own write, whose answer was lost. A bell too many does no harm.
  return held !== undefined || refused?.due === due
}

/**
 * Promises anew for what was due when the whole service died, and with it everybody who could hold: they hold no more.
 * Only for who starts it all on one machine, and before anybody delivers.
 * @returns false when nothing is due.
 */
export async function renew(bridgeId: string): Promise<boolean> {
  const seen = await get(bridgeId)
  if (!seen || seen.due === 0) return false
  const retryAt = Math.ceil(seen.retryAtMs / 1000)
  const { held } = await update(bridgeId, {
    UpdateExpression: `SET due = :due, holder = :nobody, ${inIndex}`,
    ConditionExpression: "due > :zero",
    ExpressionAttributeValues: {
      ":due": Math.max(now() + claimedFor, retryAt + lateness),
      ":nobody": nobody,
      ":now": now(),
      ":zero": 0,
    },
  })
  return held !== undefined
}

const Indexed = z.object({ pk: z.string() })

/**
 * The overdue bridges: their promise of `due` was broken, by a crash or a lost doorbell. The index says who may be; the row
 * itself, read consistently, whether they are.
 */
export async function* overdue(before: number): AsyncGenerator<Pick<Info, "bridgeId" | "due">> {
  for (let shard = 0; shard < shards; shard++) {
    const rows = query({
      TableName: events,
      IndexName: "bySince",
      KeyConditionExpression: "#shard = :shard AND since <= :before",
      ExpressionAttributeNames: { "#shard": "shard" },
      ExpressionAttributeValues: { ":shard": shard, ":before": before },
    })
    for await (const row of rows) {
      const delivery = await get(bridgeIdOf(Indexed.parse(row).pk))
      if (delivery && delivery.due > 0 && delivery.due <= before) yield delivery
    }
  }
}

/** The bridge is gone: so is its delivery. */
export async function remove(bridgeId: string): Promise<void> {
  await removeRow({ TableName: events, Key: key(bridgeId) })
}

/** The write of the row of a new bridge: nothing waits. */
export function creation(receiver: Receiver.Info): Write {
  return { Put: { TableName: events, Item: newRow(receiver.bridgeId, { due: 0, receiver }) } }
}

/** The write that goes with the end of a bridge. */
export function removal(bridgeId: string): Write {
  return { Delete: { TableName: events, Key: key(bridgeId) } }
}

/** The write of another address, together with the bridge's own; `begin` has seen to it that there is a row. */
export function redirection(receiver: Receiver.Info): Write {
  return {
    Update: {
      TableName: events,
      Key: key(receiver.bridgeId),
      // The others stay: `wrapping rewrap` may have written a newer key meanwhile.
      UpdateExpression:
        "SET webhook_url = :url, webhook_secret = if_not_exists(webhook_secret, :secret), " +
        "delivery_key = if_not_exists(delivery_key, :key), account_id = if_not_exists(account_id, :account)",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeValues: {
        ":url": receiver.url,
        ":secret": receiver.sealedSecret,
        ":key": receiver.deliveryKey,
        ":account": receiver.accountId,
      },
    },
  }
}

/** Writes the row of a bridge that has none: one of a service of before, without events. @returns false when there is one. */
export async function begin(
  bridgeId: string,
  first: { due: number; receiver?: Receiver.Info },
): Promise<boolean> {
  const there = await put({
    TableName: events,
    Item: newRow(bridgeId, first),
    ConditionExpression: "attribute_not_exists(pk)",
  })
  // Refused by the very value: most likely our own row, whose answer was lost.
  return !there || there.due === first.due
}

function newRow(bridgeId: string, { due, receiver }: { due: number; receiver?: Receiver.Info }): Row {
  return {
    ...key(bridgeId),
    shard: parseInt(bridgeId.slice(-1), 16) % shards,
    due,
    ...(due > 0 && { since: now() }),
    head: 0,
    holder: nobody,
    failures: 0,
    attempt: 0,
    attempts: 0,
    retry_at_ms: 0,
    resend: [],
    resend_attempt: 0,
    ...(receiver && Receiver.toRow(receiver)),
  }
}

type Change = Omit<Parameters<typeof updateRow>[0], "TableName" | "Key">

/** One conditional update: the row as it is now, or as it was when it refused; nothing where there is none. */
export async function update(bridgeId: string, input: Change): Promise<{ held?: Info; refused?: Info }> {
  const row = await updateRow({ ...input, TableName: events, Key: key(bridgeId) })
  if ("now" in row) return { held: fromRow(row.now) }
  return "pk" in row.refused ? { refused: fromRow(row.refused) } : {}
}

function fromRow(row: Row): Info {
  const bridgeId = bridgeIdOf(row.pk)
  return Info.parse({
    ...row,
    bridgeId,
    retryAtMs: row.retry_at_ms,
    resendAttempt: row.resend_attempt,
    receiver: Receiver.fromRow(bridgeId, row),
  })
}
