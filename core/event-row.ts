export * as EventRow from "./event-row.ts"

import { createHash } from "node:crypto"
import { z } from "zod"
import { now } from "./clock.ts"
import type { Event } from "./contract/event.ts"
import { open, seal } from "./seal.ts"
import { Bytes, get as getRow, type Row, type Write } from "./store.ts"
import { bridgeIdOf, events } from "./tables.ts"

/**
 * - `pending`: waits for delivery.
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
  /** Unix seconds; none while it waits. */
  expiresAt: z.number().int().optional(),
  /** The body, sealed as it will be sent. */
  body: Bytes,
})
export type Info = z.infer<typeof Info>

/** A day in seconds. */
const day = 86_400
/** How long an event waits for its delivery, from its creation (decisions, "Events"). */
export const waitsFor = 30 * day
/** How long a row is kept after its outcome (decisions, "Events"). */
export const keptFor = { delivered: 7 * day, undelivered: 30 * day, inbox: 30 * day } as const
/**
 * How long the marker of an event's id is kept, from its creation: as long as its row at the most, which waits, is listed
 * as undelivered, and is then sent again with success. Whoever asks for an event by its id finds it as long as it is listed.
 */
const markedFor = waitsFor + keptFor.undelivered + keptFor.delivered

export function key(bridgeId: string, n: number) {
  return { pk: `BRIDGE#${bridgeId}`, sk: `EVENT#${padded(n)}` }
}

/** So that keys sort as numbers do. */
export function padded(n: number): string {
  return String(n).padStart(12, "0")
}

export function markerKey(bridgeId: string, eventId: string) {
  return { pk: `BRIDGE#${bridgeId}`, sk: `ID#${eventId}` }
}

/**
 * The id of a happening: the same however often the network tells it. `identity` is made of what was received, never
 * of what was resolved later.
 */
export function idOf(bridgeId: string, identity: string[]): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([bridgeId, ...identity]))
    .digest()
  return `evt_${base32(hash.subarray(0, 20))}`
}

/** The writes that append an event under number `n`: its row and the marker of its id. */
export function append(input: {
  bridgeId: string
  n: number
  eventId: string
  event: Event
  deliveryKey: Uint8Array
}): Write[] {
  const rowKey = key(input.bridgeId, input.n)
  const row: Row = {
    ...rowKey,
    n: input.n,
    event_id: input.eventId,
    type: input.event.event,
    state: "pending",
    created_at: now(),
    body: seal(input.deliveryKey, rowKey, JSON.stringify(input.event)),
  }
  const marker: Row = {
    ...markerKey(input.bridgeId, input.eventId),
    n: input.n,
    expires_at: now() + markedFor,
  }
  return [
    // A new owner may have seen half of the old one's last commit: it must not write over the other half.
    { Put: { TableName: events, Item: row, ConditionExpression: "attribute_not_exists(pk)" } },
    { Put: { TableName: events, Item: marker } },
  ]
}

/** The write of what became of an event. */
export function outcome(event: { bridgeId: string; n: number }, state: keyof typeof keptFor): Write {
  return {
    Update: {
      TableName: events,
      Key: key(event.bridgeId, event.n),
      UpdateExpression: "SET #state = :outcome, expires_at = :expires",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeNames: { "#state": "state" },
      ExpressionAttributeValues: { ":outcome": state, ":expires": now() + keptFor[state] },
    },
  }
}

/** Whether an event of this id was appended before. */
export async function isKnown(bridgeId: string, eventId: string): Promise<boolean> {
  return (await getRow(events, markerKey(bridgeId, eventId))) !== undefined
}

/** The event of exactly this number, read consistently. */
export async function get(bridgeId: string, n: number): Promise<Info | undefined> {
  const row = await getRow(events, key(bridgeId, n))
  return row && fromRow(row)
}

/** The bytes to send: as they were stored, never serialised anew. */
export function bodyOf(event: Info, deliveryKey: Uint8Array): Buffer {
  return open(deliveryKey, key(event.bridgeId, event.n), event.body)
}

export function fromRow(row: Row): Info {
  return Info.parse({
    ...row,
    bridgeId: bridgeIdOf(row.pk),
    eventId: row.event_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  })
}

/** RFC 4648, lower case, no padding. */
function base32(bytes: Uint8Array): string {
  const alphabet = "abcdefghijklmnopqrstuvwxyz234567"
  let bits = ""
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0")
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[parseInt(five.padEnd(5, "0"), 2)]).join("")
}
