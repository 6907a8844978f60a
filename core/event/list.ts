export * as EventList from "./list.ts"

import { z } from "zod"
import { now } from "../platform/clock.ts"
import { Delivery } from "./delivery.ts"
import { sessionUnavailable } from "../error.ts"
import { EventRow } from "./row.ts"
import { batchGet, batchWrite, get as getRow, type Key, query, type Row, type Write } from "../store/store.ts"
import { events } from "../store/tables.ts"

/** The states that can be listed; delivered events cannot. */
type Listed = "pending" | "undelivered" | "inbox"

/** A row that leads to an event that was given up or went to the inbox, so that listing reads no others. */
export function pointer(event: { bridgeId: string; n: number }, state: "undelivered" | "inbox"): Write {
  const expires_at = now() + EventRow.keptFor[state]
  return {
    Put: {
      TableName: events,
      Item: { ...pointerKey(event.bridgeId, state, event.n), n: event.n, expires_at },
    },
  }
}

/** The write that takes an event off its list after a resend succeeded. */
export function unlisting(event: EventRow.Info): Write[] {
  if (event.state !== "undelivered" && event.state !== "inbox") return []
  return [{ Delete: { TableName: events, Key: pointerKey(event.bridgeId, event.state, event.n) } }]
}

/** The number under which an event of this id was appended; undefined when it is unknown or no longer kept. */
export async function numberOf(bridgeId: string, eventId: string): Promise<number | undefined> {
  return (await named(bridgeId, eventId))?.n
}

/** The event of this id and its outcome; undefined when it is unknown or no longer kept. */
export async function find(bridgeId: string, eventId: string): Promise<EventRow.Info | undefined> {
  const event = await named(bridgeId, eventId)
  if (!event) return undefined
  const found = EventRow.asOf(event, (await Delivery.get(bridgeId))?.head ?? 0)
  // DynamoDB removes expired rows late.
  return (found.expiresAt ?? Infinity) > now() || found.state === "pending" ? found : undefined
}

async function named(bridgeId: string, eventId: string): Promise<EventRow.Info | undefined> {
  const n = EventRow.numberOf(eventId) ?? (await numberOfBefore(bridgeId, eventId))
  const event = n === undefined ? undefined : await EventRow.get(bridgeId, n)
  return event?.eventId === eventId ? event : undefined
}

/**
 * Ids without a number have a row that leads to it. The release that put numbers into ids ended these rows, and they
 * are kept for at most 67 days: this function may be removed 67 days after every service runs that release.
 */
async function numberOfBefore(bridgeId: string, eventId: string): Promise<number | undefined> {
  const marker = await getRow(events, { pk: `BRIDGE#${bridgeId}`, sk: `ID#${eventId}` })
  return marker && z.object({ n: z.number() }).parse(marker).n
}

/**
 * The events in this state after that number, oldest first; for `pending`, those after the head. At most `limit`
 * events, and fewer if their bodies would exceed `maxBytes`, but at least one if there is one.
 */
export async function page(
  bridgeId: string,
  asked: { state: Listed; after: number; limit: number; maxBytes?: number },
): Promise<EventRow.Info[]> {
  const { state, limit, maxBytes = Infinity } = asked
  const found: EventRow.Info[] = []
  let bytes = 0
  const rows = state === "pending" ? waiting(bridgeId, asked.after) : pointed(bridgeId, state, asked)
  for await (const row of rows) {
    bytes += row.body.length
    if (found.length > 0 && bytes > maxBytes) break
    found.push(row)
    if (found.length === limit) break
  }
  return found
}

async function* waiting(bridgeId: string, after: number): AsyncGenerator<EventRow.Info> {
  const from = EventRow.key(bridgeId, after + 1).sk
  for await (const row of between(bridgeId, from, "EVENT#~")) yield EventRow.fromRow(row)
}

const Pointer = z.object({
  pk: z.string(),
  sk: z.string(),
  n: z.number().int(),
  expires_at: z.number().int(),
})

/** How many pointers are followed for one page, and how many of them at once. */
const followed = { most: 2000, atOnce: 25 }

/**
 * The events that pointers lead to. Earlier releases left the pointer of an event that was resent successfully. Those
 * are removed on the way, so a long list gets shorter each time it is asked for.
 * @throws ApiError `session_unavailable` when it met only such pointers
 */
async function* pointed(
  bridgeId: string,
  state: "undelivered" | "inbox",
  asked: { after: number },
): AsyncGenerator<EventRow.Info> {
  const from = pointerKey(bridgeId, state, asked.after + 1).sk
  let count = 0
  let hasFound = false
  for await (const pointers of inGroups(between(bridgeId, from, `STATE#${state}#~`), followed.atOnce)) {
    const { kept, stale } = await follow(bridgeId, state, pointers)
    await batchWrite(stale.map((key) => ({ table: events, remove: key })))
    yield* kept
    hasFound ||= kept.length > 0
    count += pointers.length
    if (count < followed.most) continue
    if (hasFound) return
    throw sessionUnavailable("this list is being tidied up: try again", 1)
  }
}

async function follow(bridgeId: string, state: EventRow.State, rows: Row[]) {
  const kept: EventRow.Info[] = []
  const stale: Key[] = []
  // Leaves out pointers that have expired and are not removed yet.
  const pointers = rows.map((row) => Pointer.parse(row)).filter(({ expires_at }) => expires_at > now())
  const found = await batchGet(pointers.map(({ n }) => ({ table: events, key: EventRow.key(bridgeId, n) })))
  for (const [i, { pk, sk }] of pointers.entries()) {
    const event = found[i] && EventRow.fromRow(found[i])
    if (event?.state === state) kept.push(event)
    // A pending event gets its outcome in the transaction that wrote this pointer, and will show it in a moment.
    else if (event?.state !== "pending") stale.push({ pk, sk })
  }
  return { kept, stale }
}

async function* inGroups<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let group: Item[] = []
  for await (const item of items) {
    if (group.push(item) < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

function between(bridgeId: string, from: string, to: string) {
  return query({
    TableName: events,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :bridge AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: { ":bridge": `BRIDGE#${bridgeId}`, ":from": from, ":to": to },
    Limit: 100,
  })
}

function pointerKey(bridgeId: string, state: "undelivered" | "inbox", n: number) {
  return { pk: `BRIDGE#${bridgeId}`, sk: `STATE#${state}#${EventRow.padded(n)}` }
}
