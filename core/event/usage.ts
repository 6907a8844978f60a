export * as Usage from "./usage.ts"

import { z } from "zod"
import { iso, now, nowMs } from "../platform/clock.ts"
import { putRow, query, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"

/** The latency of an attempt is counted as the first of these that it does not exceed, in milliseconds. */
const bounds = [25, 50, 100, 200, 400, 800, 1600, 3200, 6400, 10_000]

/**
 * The count of a bridge's deliveries on one day. Today's count is in the `DELIVERY` row, which each delivery
 * writes anyway, so counting costs no extra write. When a day is over, its count becomes a row (`storeDay`):
 * one write a day.
 */
export const Day = z.object({
  /** In UTC, as `2026-11-22`. */
  day: z.string(),
  /** Events that were delivered or went to the inbox, and how many of them were messages. */
  delivered: z.number().int(),
  messages: z.number().int(),
  undelivered: z.number().int(),
  attempts: z.number().int(),
  failed: z.number().int(),
  /** How many attempts took how long, by `bounds`. */
  took: z.array(z.number().int()),
})
export type Day = z.infer<typeof Day>

/**
 * The messages of a day: those of others as they came, and those sent by the API or written on the phone.
 */
export interface Messages {
  in: number
  out: number
}

const Counted = z.object({ day: z.string(), in: z.number().int().default(0), out: z.number().int() })

/** How long days are kept, in seconds: 400 days (Contract, "Usage"). */
const keptFor = 400 * 86_400

/** The result of a step of a delivery: an attempt, and perhaps the end of the event. */
export interface Step {
  type: string
  attempt?: { isFailure: boolean; latencyMs: number } | undefined
  /** `redelivered`: it had counted as undelivered, perhaps on an earlier day. */
  end?: "delivered" | "undelivered" | "redelivered" | undefined
}

/** Today's count with one more result. That of an earlier day is dropped, since `storeDay` has stored it. */
export function dayWith(before: Day | undefined, { type, attempt, end }: Step): Day {
  const counts = before?.day === today() ? before : nothing(today())
  const isDelivered = end === "delivered" || end === "redelivered"
  const slot = attempt && bounds.findIndex((bound) => attempt.latencyMs <= bound)
  const last = bounds.length - 1
  return {
    ...counts,
    delivered: counts.delivered + Number(isDelivered),
    messages: counts.messages + Number(isDelivered && type === "message"),
    undelivered: Math.max(
      0,
      counts.undelivered + Number(end === "undelivered") - Number(end === "redelivered"),
    ),
    attempts: counts.attempts + Number(attempt !== undefined),
    failed: counts.failed + Number(attempt?.isFailure === true),
    took: counts.took.map((count, i) => count + Number(i === (slot === -1 ? last : slot))),
  }
}

function nothing(day: string): Day {
  const took = bounds.map(() => 0)
  return { day, delivered: 0, messages: 0, undelivered: 0, attempts: 0, failed: 0, took }
}

/** In UTC, as `2026-11-22`. */
export function today(): string {
  return iso(nowMs()).slice(0, 10)
}

/** Keeps the count of a day that is over, before today's takes its place. Repeated, it writes the same. */
export async function storeDay(bridgeId: string, day: Day | undefined): Promise<void> {
  if (!day || day.day === today()) return
  await putRow({
    TableName: tables.events,
    Item: { ...key(bridgeId, day.day), ...day, expires_at: now() + keptFor },
  })
}

/**
 * Sets how many messages came on a day, if it is given, and adds to those that went. If the answer is lost,
 * it is unknown whether these were added.
 */
export async function countMessages(
  bridgeId: string,
  day: string,
  { in: came, out }: { in: number | undefined; out: number },
): Promise<void> {
  await updateRow({
    TableName: tables.events,
    Key: messagesKey(bridgeId, day),
    UpdateExpression: `SET #day = :day, expires_at = :expires${came === undefined ? "" : ", #in = :in"} ADD #out :out`,
    ExpressionAttributeNames: { "#day": "day", "#out": "out", ...(came !== undefined && { "#in": "in" }) },
    ExpressionAttributeValues: {
      ":day": day,
      ":expires": now() + keptFor,
      ":out": out,
      ...(came !== undefined && { ":in": came }),
    },
  })
}

/**
 * The days of a bridge from `from` to `to`, oldest first.
 * @param latest what is not in the rows of days yet: the day that stands in its `DELIVERY` row, and the
 * messages that came on the day of its newest event (`came.ts`)
 */
export async function daysOf(
  bridgeId: string,
  { from, to }: { from: string; to: string },
  latest: { current?: Day | undefined; came?: { day: string; count: number } | undefined },
): Promise<(Day & Messages)[]> {
  const rows = query({
    TableName: tables.events,
    KeyConditionExpression: "pk = :bridge AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: {
      ":bridge": `BRIDGE#${bridgeId}`,
      ":from": key(bridgeId, from).sk,
      ":to": messagesKey(bridgeId, to).sk,
    },
  })
  const days = new Map<string, Day>()
  const messages = new Map<string, Messages>()
  for await (const row of rows) {
    const counted = Counted.safeParse(row).data
    if (counted) messages.set(counted.day, { in: counted.in, out: counted.out })
    else {
      const day = Day.parse(row)
      days.set(day.day, day)
    }
  }
  const { current, came } = latest
  if (current && current.day >= from && current.day <= to) days.set(current.day, current)
  if (came && came.day >= from && came.day <= to)
    messages.set(came.day, { in: came.count, out: messages.get(came.day)?.out ?? 0 })
  return [...new Set([...days.keys(), ...messages.keys()])]
    .toSorted()
    .map((day) => ({ ...(days.get(day) ?? nothing(day)), ...(messages.get(day) ?? { in: 0, out: 0 }) }))
}

/**
 * The 95th percentile of the attempts' latency in milliseconds, rounded up to one of `bounds`; 0 without
 * attempts.
 */
export function p95Of({ took, attempts }: Day): number {
  let seen = 0
  for (const [i, count] of took.entries()) {
    seen += count
    if (attempts > 0 && seen >= attempts * 0.95) return bounds[i] ?? 0
  }
  return 0
}

function key(bridgeId: string, day: string) {
  return { pk: `BRIDGE#${bridgeId}`, sk: `USAGE#${day}` }
}

/** It sorts right behind the day's other row. */
function messagesKey(bridgeId: string, day: string) {
  return { pk: `BRIDGE#${bridgeId}`, sk: `USAGE#${day}#MESSAGES` }
}
