export * as EventRow from "./event-row.ts"

import { createHash } from "node:crypto"
import { z } from "zod"
import type { Event } from "#contract/event.ts"
import { open, seal } from "../keys/seal.ts"
import { now } from "../platform/clock.ts"
import { wellFormedJson } from "../platform/well-formed-json.ts"
import { batchGet, Bytes, getRow, query, type Row, type Write } from "../store/store.ts"
import { bridgeIdOf, tables } from "../store/tables.ts"

/**
 * - `pending`: waits for delivery. Up to `DELIVERY.head` it means delivered (see `asOf`).
 * - `delivered`, `undelivered`: after the last attempt. `inbox`: shown in the hosted inbox.
 */
export const State = z.enum(["pending", "delivered", "undelivered", "inbox"])
export type State = z.infer<typeof State>

const Info = z.object({
  bridgeId: z.string(),
  n: z.number().int(),
  eventId: z.string(),
  type: z.string(),
  state: State,
  createdAt: z.number().int(),
  /** Unix seconds. */
  expiresAt: z.number().int(),
  /** The body as it will be sent, sealed. */
  body: Bytes,
})
export type Info = z.infer<typeof Info>

/** A day in seconds. */
const day = 86_400
/** How long an event may wait for delivery after its creation (Contract, "Delivery"). */
export const waitLimit = 30 * day
/**
 * How long it may wait for a further webhook (Contract, "Webhooks"). The row may go after that: its outcome
 * is that at the first webhook.
 */
export const waitLimitAtFurther = 7 * day
/** How long a row is kept after its outcome is known (Contract, "Delivery"). */
export const keptFor = { delivered: 7 * day, undelivered: 30 * day, inbox: 30 * day } as const
/**
 * How long a row is kept if its outcome is never written: while it may wait, and then as long as a delivered
 * one.
 */
const storedFor = waitLimit + keptFor.delivered
/**
 * An event delivered this soon after its creation gets no further write: its creation time is near enough.
 */
export const promptWithin = day

/** The largest event, in bytes of JSON: a DynamoDB item holds at most 400 KB. */
export const largest = 380_000

export function key(bridgeId: string, n: number) {
  return { pk: `BRIDGE#${bridgeId}`, sk: `EVENT#${padded(n)}` }
}

/** The event that a row of the events table holds; undefined for any other row. */
export function ofKey(row: { pk: string; sk: string }): { bridgeId: string; n: number } | undefined {
  const [, digits] = /^EVENT#(\d+)$/.exec(row.sk) ?? []
  return digits ? { bridgeId: bridgeIdOf(row.pk), n: Number(digits) } : undefined
}

/** Padded so that keys sort as numbers do. */
export function padded(n: number): string {
  return String(n).padStart(12, "0")
}

/**
 * The id of the occurrence that became event `n`; it stays the same however often the event is sent.
 * `identity` tells the occurrence from all others. It is made of what was received, never of what was
 * resolved later.
 */
export function idOf(bridgeId: string, n: number, identity: string[]): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([bridgeId, ...identity]))
    .digest()
  return `evt_${base32OfNumber(n)}${base32(hash.subarray(0, 20))}`
}

/** An id that no event has, in the place of event `n`: a reader goes on behind it where `n` is not kept. */
export function idWithoutEvent(n: number): string {
  return `evt_${base32OfNumber(n)}${"a".repeat(32)}`
}

/** The number in an event's id; undefined if it is not our id. */
export function numberOf(eventId: string): number | undefined {
  const [, digits] = /^evt_([a-z2-7]{8})[a-z2-7]{32}$/.exec(eventId) ?? []
  if (!digits) return undefined
  return digits.split("").reduce((n, digit) => n * 32 + alphabet.indexOf(digit), 0)
}

/**
 * The write of an occurrence as event `n`. It fails if event `n` exists: a new owner that has not seen the
 * old owner's last commit must not overwrite it.
 * @throws Error when the event is too large for a row.
 */
export function appending(input: {
  bridgeId: string
  n: number
  identity: string[]
  event: Event
  deliveryKey: Uint8Array
  /** The count of the day's messages (`came.ts`). */
  came?: string
}): Write {
  const { bridgeId, n, event } = input
  const rowKey = key(bridgeId, n)
  const body = Buffer.from(wellFormedJson(event))
  if (body.length > largest) throw new Error(`an event of ${body.length} bytes`)
  const row: Row = {
    ...rowKey,
    n,
    event_id: idOf(bridgeId, n, input.identity),
    type: event.event,
    state: "pending",
    created_at: now(),
    expires_at: now() + storedFor,
    ...(input.came !== undefined && { came: input.came }),
    body: seal(input.deliveryKey, rowKey, body),
  }
  return { Put: { TableName: tables.events, Item: row, ConditionExpression: "attribute_not_exists(pk)" } }
}

/** The write of an event's outcome. */
export function settling(event: { bridgeId: string; n: number }, state: keyof typeof keptFor): Write {
  return {
    Update: {
      TableName: tables.events,
      Key: key(event.bridgeId, event.n),
      UpdateExpression: "SET #state = :outcome, expires_at = :expires",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeNames: { "#state": "state" },
      ExpressionAttributeValues: { ":outcome": state, ":expires": now() + keptFor[state] },
    },
  }
}

/**
 * An event as it stands once delivery has come to `head`. For a promptly delivered event only the creation
 * time is known, and delivery was at most a day later. It is kept for 7 days from then: perhaps a day too
 * long, never too short.
 */
export function asOf(event: Info, head: number): Info {
  if (event.state !== "pending" || event.n > head) return event
  return { ...event, state: "delivered", expiresAt: event.createdAt + promptWithin + keptFor.delivered }
}

/** How many events, and how many bytes of them, are read ahead: one page of a query. */
const most = { events: 25, bytes: 1_000_000 }

/**
 * Reads ahead after event `n`: `next` are the events that follow it without a gap. Nothing after a gap
 * counts, since the rows of a transaction may become visible one by one; `beyond` is then the first number
 * after the gap.
 */
export async function after(
  bridgeId: string,
  n: number,
  atOnce = most.events,
): Promise<{ next: Info[]; beyond?: number }> {
  const limit = Math.max(most.events, atOnce)
  const rows = query({
    TableName: tables.events,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :bridge AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: {
      ":bridge": `BRIDGE#${bridgeId}`,
      ":from": key(bridgeId, n + 1).sk,
      ":to": "EVENT#~",
    },
    Limit: limit,
  })
  const next: Info[] = []
  let bytes = 0
  for await (const row of rows) {
    const event = fromRow(row)
    if (event.n !== n + next.length + 1) return { next, beyond: event.n }
    next.push(event)
    bytes += event.body.length
    if (next.length === limit || bytes > most.bytes) break
  }
  return { next }
}

/** The event of exactly this number, read consistently. */
export async function get(bridgeId: string, n: number): Promise<Info | undefined> {
  const row = await getRow(tables.events, key(bridgeId, n))
  return row && fromRow(row)
}

/** The events of these numbers that are there, in no order. */
export async function byNumbers(bridgeId: string, numbers: number[]): Promise<Info[]> {
  const places = [...new Set(numbers)].map((n) => ({ table: tables.events, key: key(bridgeId, n) }))
  return (await batchGet(places)).flatMap((row) => (row ? fromRow(row) : []))
}

/** The bytes to send, exactly as they were stored; they are never serialised again. */
export function bodyOf(event: Info, deliveryKey: Uint8Array): Buffer {
  return open(deliveryKey, key(event.bridgeId, event.n), event.body)
}

/**
 * @throws Error for a row that is no event's, or whose number is not that of its key: other events would be
 * lost
 */
export function fromRow(row: Row): Info {
  const event = Info.parse({
    ...row,
    bridgeId: bridgeIdOf(row.pk),
    eventId: row.event_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  })
  if (row.sk !== key(event.bridgeId, event.n).sk)
    throw new Error(`the row ${String(row.sk)} says that it is event ${event.n}`)
  return event
}

/** RFC 4648, in lower case. */
const alphabet = "abcdefghijklmnopqrstuvwxyz234567"

/** Without padding. */
function base32(bytes: Uint8Array): string {
  let text = ""
  let value = 0
  let bits = 0
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(value >>> (bits - 5)) & 31]
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text
}

/** Eight digits: 40 bits. */
function base32OfNumber(n: number): string {
  let digits = ""
  for (let rest = n; digits.length < 8; rest = Math.floor(rest / 32)) digits = alphabet[rest % 32] + digits
  return digits
}
