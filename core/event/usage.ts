export * as Usage from "./usage.ts"

import { z } from "zod"
import { iso, now, nowMs } from "../platform/clock.ts"
import { put, query } from "../store/store.ts"
import { events } from "../store/tables.ts"

/** The latency of an attempt is counted as the first of these that it does not exceed, in milliseconds. */
const bounds = [25, 50, 100, 200, 400, 800, 1600, 3200, 6400, 10_000]

/**
 * The count of a bridge's deliveries on one day. Today's count is in the `DELIVERY` row, which each delivery writes anyway,
 * so counting costs no extra write. When a day is over, its count becomes a row (`keep`): one write a day.
 */
export const Day = z.object({
  /** In UTC, as `2026-11-22`. */
  day: z.string(),
  /** Events that were delivered or went to the inbox, and how many of them were messages. */
  told: z.number().int(),
  messages: z.number().int(),
  undelivered: z.number().int(),
  attempts: z.number().int(),
  failed: z.number().int(),
  /** How many attempts took how long, by `bounds`. */
  took: z.array(z.number().int()),
})
export type Day = z.infer<typeof Day>

/** How long days are kept, in seconds: 400 days (Contract, "Usage"). */
const keptFor = 400 * 86_400

/** The result of a step of a delivery: an attempt, and perhaps the end of the event. */
export interface Made {
  type: string
  attempt?: { isFailure: boolean; latencyMs: number } | undefined
  end?: "told" | "undelivered" | undefined
}

/** Today's count with one more result. The count of an earlier day is dropped, since `keep` has stored it. */
export function counted(before: Day | undefined, { type, attempt, end }: Made): Day {
  const counts = before?.day === today() ? before : nothing()
  const slot = attempt && bounds.findIndex((bound) => attempt.latencyMs <= bound)
  const last = bounds.length - 1
  return {
    ...counts,
    told: counts.told + Number(end === "told"),
    messages: counts.messages + Number(end === "told" && type === "message"),
    undelivered: counts.undelivered + Number(end === "undelivered"),
    attempts: counts.attempts + Number(attempt !== undefined),
    failed: counts.failed + Number(attempt?.isFailure === true),
    took: counts.took.map((count, i) => count + Number(i === (slot === -1 ? last : slot))),
  }
}

function nothing(): Day {
  const took = bounds.map(() => 0)
  return { day: today(), told: 0, messages: 0, undelivered: 0, attempts: 0, failed: 0, took }
}

function today(): string {
  return iso(nowMs()).slice(0, 10)
}

/** Keeps the count of a day that is over, before today's takes its place. Repeated, it writes the same. */
export async function keep(bridgeId: string, day: Day | undefined): Promise<void> {
  if (!day || day.day === today()) return
  await put({ TableName: events, Item: { ...key(bridgeId, day.day), ...day, expires_at: now() + keptFor } })
}

/** The days of a bridge from `from` to `to`, oldest first. `current` is the one that stands in its `DELIVERY` row. */
export async function of(
  bridgeId: string,
  { from, to }: { from: string; to: string },
  current: Day | undefined,
): Promise<Day[]> {
  const rows = query({
    TableName: events,
    KeyConditionExpression: "pk = :bridge AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: {
      ":bridge": `BRIDGE#${bridgeId}`,
      ":from": key(bridgeId, from).sk,
      ":to": key(bridgeId, to).sk,
    },
  })
  const days = new Map<string, Day>()
  for await (const row of rows) {
    const day = Day.parse(row)
    days.set(day.day, day)
  }
  if (current && current.day >= from && current.day <= to) days.set(current.day, current)
  return [...days.values()].toSorted((a, b) => a.day.localeCompare(b.day))
}

/** The 95th percentile of the attempts' latency in milliseconds, rounded up to one of `bounds`; 0 without attempts. */
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
