export * as EventList from "./event-list.ts"

import { z } from "zod"
import { now } from "./clock.ts"
import { Delivery } from "./delivery.ts"
import { sessionUnavailable } from "./error.ts"
import { EventRow } from "./event-row.ts"
import { batchGet, batchWrite, get as getRow, type Key, query, type Row, type Write } from "./store.ts"
import { events } from "./tables.ts"

/** What may be listed: what was delivered is not. */
type Listed = "pending" | "undelivered" | "inbox"

/** Leads to an event that was given up or went to the inbox, so that nobody reads all the others to find it. */
export function pointer(event: { bridgeId: string; n: number }, state: "undelivered" | "inbox"): Write {
  const expires_at = now() + EventRow.keptFor[state]
  return {
    Put: {
      TableName: events,
      Item: { ...pointerKey(event.bridgeId, state, event.n), n: event.n, expires_at },
    },
  }
}

/** The write that takes one of the list again: it was sent once more, with success. */
export function unlisting(event: EventRow.Info): Write[] {
  if (event.state !== "undelivered" && event.state !== "inbox") return []
  return [{ Delete: { TableName: events, Key: pointerKey(event.bridgeId, event.state, event.n) } }]
}

/** The number under which an event of this id was appended; undefined when it is not known, or no more. */
export async function numberOf(bridgeId: string, eventId: string): Promise<number | undefined> {
  return (await named(bridgeId, eventId))?.n
}

/** The event of this id, with what became of it; undefined when it is not known, or not kept any more. */
export async function find(bridgeId: string, eventId: string): Promise<EventRow.Info | undefined> {
  const event = await named(bridgeId, eventId)
  if (!event) return undefined
  const found = EventRow.asOf(event, (await Delivery.get(bridgeId))?.head ?? 0)
  // Expired rows are removed late.
  return (found.expiresAt ?? Infinity) > now() || found.state === "pending" ? found : undefined
}

async function named(bridgeId: string, eventId: string): Promise<EventRow.Info | undefined> {
  const n = EventRow.numberOf(eventId) ?? (await numberOfBefore(bridgeId, eventId))
  const event = n === undefined ? undefined : await EventRow.get(bridgeId, n)
  return event?.eventId === eventId ? event : undefined
}

/**
 * Ids that carry no number have a row that leads to it. None was appended after the release with numbers in ids, and
 * they are kept for 67 days at most: this may be removed 67 days after every service runs that release.
 */
async function numberOfBefore(bridgeId: string, eventId: string): Promise<number | undefined> {
  const marker = await getRow(events, { pk: `BRIDGE#${bridgeId}`, sk: `ID#${eventId}` })
  return marker && z.object({ n: z.number() }).parse(marker).n
}

/**
 * The events in this state after that number, in the order in which they happened; `pending` ones are after the head.
 * As many as `limit`, fewer if their bodies would have more than `maxBytes`, but one if there is one.
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

/** How many pointers are followed for a page, and how many of them at once. */
const followed = { most: 2000, atOnce: 25 }

/**
 * The events that pointers lead to. Services of before left the pointer of an event that was sent again with success:
 * such ones are removed on the way, so that a list of many is shorter when it is asked for again.
 * @throws ApiError `session_unavailable` when it met those alone
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
    throw sessionUnavailable("this list is being tidied up: ask again", 1)
  }
}

async function follow(bridgeId: string, state: EventRow.State, rows: Row[]) {
  const kept: EventRow.Info[] = []
  const stale: Key[] = []
  // Expired, and not yet removed.
  const pointers = rows.map((row) => Pointer.parse(row)).filter(({ expires_at }) => expires_at > now())
  const found = await batchGet(pointers.map(({ n }) => ({ table: events, key: EventRow.key(bridgeId, n) })))
  for (const [i, { pk, sk }] of pointers.entries()) {
    const event = found[i] && EventRow.fromRow(found[i])
    if (event?.state === state) kept.push(event)
    // One that is still pending has its outcome in the transaction that wrote this pointer, and shows it in a moment.
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
