export * as Usage from "./usage.ts"

import { z } from "zod"
import { iso, now, nowMs } from "../platform/clock.ts"
import { Bytes, getRow, putRow, query, type Row, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Receiver } from "./receiver.ts"

/** The latency of an attempt is counted as the first of these that it does not exceed, in milliseconds. */
const bounds = [25, 50, 100, 200, 400, 800, 1600, 3200, 6400, 10_000]

/**
 * The count of the deliveries to a webhook on one day. Today's count is in the `DELIVERY` row, which each
 * delivery writes anyway, so counting costs no extra write. When a day is over, its count becomes a row
 * (`storeDay`): one write a day.
 */
const DayRow = z.object({
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
  /** What was counted in each hour (UTC). */
  packed: Bytes.default(() => new Uint8Array(24 * perHour)),
})

export const Day = DayRow.transform(({ packed, ...day }) => ({
  ...day,
  byHour: Array.from({ length: 24 }, (_, hour) => unpacked(packed, hour * perHour)),
}))
export type Day = z.infer<typeof Day>

/** What an hour has counted. */
interface InHour {
  tried: number
  failed: number
  /** How long the attempts took in all. They are made one after the other: an hour at most. */
  ms: number
}

/** A count in a row has two bytes, and does not go beyond them; the time has three. */
const largestCount = 0xffff

function unpacked(all: Uint8Array, at: number): InHour {
  const bytes = Buffer.from(all.buffer, all.byteOffset, all.byteLength)
  const [tried = 0, failed = 0] = [0, 2].map((i) => bytes.readUInt16BE(at + i))
  return { tried, failed, ms: bytes.readUIntBE(at + 4, 3) }
}

/**
 * A day as it stands in a row. Its hours are packed: each delivery writes the row, and a unit that is billed
 * has 1 KB.
 */
export function toRow({ byHour, ...day }: Day): Row {
  const packed = Buffer.alloc(24 * perHour)
  for (const [hour, { tried, failed, ms }] of byHour.entries()) {
    const counts = [tried, failed].map((count) => Math.min(count, largestCount))
    for (const [i, count] of counts.entries()) packed.writeUInt16BE(count, hour * perHour + 2 * i)
    packed.writeUIntBE(Math.min(ms, 0xffffff), hour * perHour + 4, 3)
  }
  return { ...day, packed }
}

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

const hourMs = 3_600_000

/** How many bytes an hour has in a row. */
const perHour = 7

/** How long those of further webhooks are kept, which only the last hours are read of. */
const keptForFurther = 3 * 86_400

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
  const hour = new Date(nowMs()).getUTCHours()
  const byHour = counts.byHour.map((one, i) => {
    if (i !== hour) return one
    return {
      tried: one.tried + Number(attempt !== undefined),
      failed: one.failed + Number(attempt?.isFailure === true),
      ms: one.ms + (attempt?.latencyMs ?? 0),
    }
  })
  const slot = attempt && bounds.findIndex((bound) => attempt.latencyMs <= bound)
  const last = bounds.length - 1
  return {
    ...counts,
    delivered: counts.delivered + Number(isDelivered),
    messages: counts.messages + Number(isDelivered && type === "message"),
    byHour,
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
  return Day.parse({ day, delivered: 0, messages: 0, undelivered: 0, attempts: 0, failed: 0, took })
}

/** In UTC, as `2026-11-22`. */
export function today(): string {
  return iso(nowMs()).slice(0, 10)
}

/** Keeps the count of a day that is over, before today's takes its place. Repeated, it writes the same. */
export async function storeDay(id: Receiver.Id, day: Day | undefined): Promise<void> {
  if (!day || day.day === today()) return
  const expires_at = now() + (Receiver.isFirst(id) ? keptFor : keptForFurther)
  await putRow({ TableName: tables.events, Item: { ...keyAt(id, day.day), ...toRow(day), expires_at } })
}

/** An hour of a webhook. */
export interface Hour extends InHour {
  /** When it began, Unix ms. */
  atMs: number
}

/** The last 24 hours of a webhook, oldest first. `current` is the day that stands in its row. */
export async function lastHours(id: Receiver.Id, current: Day | undefined): Promise<Hour[]> {
  const known = new Map(current && [[current.day, current]])
  const yesterday = iso(nowMs() - 86_400_000).slice(0, 10)
  const row = known.has(yesterday) ? undefined : await getRow(tables.events, keyAt(id, yesterday))
  if (row) known.set(yesterday, Day.parse(row))
  const thisHour = Math.floor(nowMs() / hourMs) * hourMs
  return Array.from({ length: 24 }, (_, i) => {
    const atMs = thisHour - (23 - i) * hourMs
    const {
      tried = 0,
      failed = 0,
      ms = 0,
    } = known.get(iso(atMs).slice(0, 10))?.byHour[new Date(atMs).getUTCHours()] ?? {}
    return { atMs, tried, failed, ms }
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
  return keyAt(Receiver.first(bridgeId), day)
}

function keyAt(id: Receiver.Id, day: string) {
  return { pk: `BRIDGE#${id.bridgeId}`, sk: `${Receiver.sortKeyPrefix(id)}USAGE#${day}` }
}

/** It sorts right behind the day's other row. */
function messagesKey(bridgeId: string, day: string) {
  return { pk: `BRIDGE#${bridgeId}`, sk: `USAGE#${day}#MESSAGES` }
}
