export * as EventLists from "./event-lists.ts"

import { z } from "zod"
import { sessionUnavailable } from "../error.ts"
import { batches } from "../platform/batches.ts"
import { isClockDoubted, now } from "../platform/clock.ts"
import { batchGet, batchWrite, getRow, type Key, query, type Row, type Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Delivery } from "./delivery.ts"
import { EventRow } from "./event-row.ts"
import { Receiver } from "./receiver.ts"

/** The states that have a list of their own. */
export type ListedState = "pending" | "undelivered" | "inbox"

/** Numbers of events, both ends excluded. */
interface Range {
  after: number
  before?: number | undefined
  isNewestFirst?: boolean
}

/**
 * The write of a pointer to an event that was given up or went to the inbox: lists are read by their
 * pointers.
 */
export function listing(id: Receiver.Id, event: { n: number }, state: "undelivered" | "inbox"): Write {
  const expires_at = now() + EventRow.keptFor[state]
  return {
    Put: {
      TableName: tables.events,
      Item: { ...pointerKey(id, state, event.n), n: event.n, expires_at },
    },
  }
}

/**
 * The writes of an event's outcome at a webhook: to the event's own row if the webhook is the first, and to
 * the webhook's list if the event belongs there.
 */
export function settling(
  id: Receiver.Id,
  event: { bridgeId: string; n: number },
  state: keyof typeof EventRow.keptFor,
): Write[] {
  return [
    ...(Receiver.isFirst(id) ? [EventRow.settling(event, state)] : []),
    ...(state === "delivered" ? [] : [listing(id, event, state)]),
  ]
}

/** The write that takes an event off its list after a resend succeeded. */
export function unlisting(id: Receiver.Id, event: EventRow.Info, state: "undelivered" | "inbox"): Write {
  return { Delete: { TableName: tables.events, Key: pointerKey(id, state, event.n) } }
}

/** When a webhook gave an event up, Unix seconds; undefined if it has not. */
export async function givenUpAt(id: Receiver.Id, event: EventRow.Info): Promise<number | undefined> {
  if (Receiver.isFirst(id))
    return event.state === "undelivered" ? event.expiresAt - EventRow.keptFor.undelivered : undefined
  // Only the further webhook's own list knows.
  const listed = await getRow(tables.events, pointerKey(id, "undelivered", event.n))
  return listed && Pointer.parse(listed).expires_at - EventRow.keptFor.undelivered
}

/**
 * The number behind which a reader goes on that names an event of this id as its last one. The event may be
 * no longer kept. If a restore has lost it, its number was left out, or is another event's by now: then the
 * reader goes on with what came after the restore.
 * @returns undefined when the bridge never had such an event
 */
export async function numberBehind(bridgeId: string, eventId: string): Promise<number | undefined> {
  const n = EventRow.numberOf(eventId)
  if (n === undefined) return undefined
  const event = await EventRow.get(bridgeId, n)
  if (event?.eventId === eventId) return n
  const first = await Delivery.get(Delivery.first(bridgeId))
  const lost = first?.skipped.at(-1)
  const isUsed = n <= Math.max(await newestNumber(bridgeId), first?.head ?? 0)
  // It has expired.
  if (!event && isUsed) return n
  // Another restore of the same copy may have leapt farther.
  return lost && n > lost.after ? Math.min(n, lost.to) : undefined
}

/** The event of this id and its outcome; undefined when it is unknown or no longer kept. */
export async function find(bridgeId: string, eventId: string): Promise<EventRow.Info | undefined> {
  const event = await named(bridgeId, eventId)
  if (!event) return undefined
  const found = EventRow.asOf(event, (await Delivery.get(Delivery.first(bridgeId)))?.head ?? 0)
  // DynamoDB removes expired rows late.
  return found.expiresAt > now() || found.state === "pending" ? found : undefined
}

async function named(bridgeId: string, eventId: string): Promise<EventRow.Info | undefined> {
  const n = EventRow.numberOf(eventId)
  const event = n === undefined ? undefined : await EventRow.get(bridgeId, n)
  return event?.eventId === eventId ? event : undefined
}

/** The states in which a further webhook has an event. */
export type StateAtFurther = "pending" | "delivered" | "undelivered"

/** What became of an event that a further webhook wanted. */
export async function stateAtFurther(delivery: Delivery.Info, { n }: { n: number }): Promise<StateAtFurther> {
  if (n > delivery.head) return "pending"
  const listed = await getRow(tables.events, pointerKey(delivery, "undelivered", n))
  return listed ? "undelivered" : "delivered"
}

/**
 * The events in this state after that number, oldest first, at most `limit`; for `pending`, those after the
 * head.
 */
export async function page(
  id: Receiver.Id,
  asked: { state: ListedState; after: number; limit: number },
): Promise<EventRow.Info[]> {
  const found: EventRow.Info[] = []
  const { state, after, limit } = asked
  const rows = state === "pending" ? allKept(id.bridgeId, { after }, after) : onList(id, state, { after })
  for await (const row of rows) if (found.push(row) === limit) break
  return found
}

/**
 * Every event that is kept. The state of each is as of this `head`. `atOnce`: how many are read by a request.
 */
export async function* allKept(
  bridgeId: string,
  range: Range,
  head: number,
  atOnce?: number,
): AsyncGenerator<EventRow.Info> {
  for await (const row of rowsIn(bridgeId, range, EventRow.key, atOnce)) {
    const event = EventRow.asOf(EventRow.fromRow(row), head)
    // DynamoDB removes expired rows late.
    if (event.state === "pending" || event.expiresAt > now()) yield event
  }
}

/** These events as they wait for a further webhook: the state in their rows is that at the first. */
export async function* asPending(events: AsyncIterable<EventRow.Info>): AsyncGenerator<EventRow.Info> {
  for await (const event of events) yield { ...event, state: "pending" }
}

/** The number of the newest event, or of the newest one before this number; 0 if there is none. */
export async function newestNumber(bridgeId: string, before?: number): Promise<number> {
  const range = { after: 0, isNewestFirst: true, ...(before !== undefined && { before }) }
  const rows = rowsIn(bridgeId, range, EventRow.key, 1)
  for await (const row of rows) return EventRow.ofKey(row as Key)!.n // every row has its key
  return 0
}

/**
 * The number of the first event that is kept and was created at this time (Unix seconds) or later; the number
 * after the newest if there is none. Numbers and times grow together, so this is a binary search.
 */
export async function firstSince(bridgeId: string, since: number): Promise<number> {
  let low = 1
  let high = (await newestNumber(bridgeId)) + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    // An event that has expired is older than every one that is kept.
    const event = await firstFrom(bridgeId, middle)
    if (event && event.createdAt < since) low = event.n + 1
    else high = middle
  }
  return low
}

async function firstFrom(bridgeId: string, n: number): Promise<EventRow.Info | undefined> {
  for await (const row of rowsIn(bridgeId, { after: n - 1 }, EventRow.key, 1)) return EventRow.fromRow(row)
  return undefined
}

const Pointer = z.object({
  pk: z.string(),
  sk: z.string(),
  n: z.number().int(),
  expires_at: z.number().int(),
})

/** How many pointers are followed at once, and after how many removed ones a reader has to ask again. */
const followed = { atOnce: 25, mostStale: 2000 }

/**
 * The events that pointers lead to: all of them, unless the reader stops before. Pointers that lead nowhere,
 * such as expired ones, are removed on the way, so a long list gets shorter each time it is asked for.
 * @throws ApiError `session_unavailable` after very many pointers that lead nowhere
 */
export async function* onList(
  id: Receiver.Id,
  state: "undelivered" | "inbox",
  range: Range,
): AsyncGenerator<EventRow.Info> {
  const rows = rowsIn(id.bridgeId, range, (_, n) => pointerKey(id, state, n))
  let removed = 0
  for await (const pointers of batches(rows, followed.atOnce)) {
    const { kept, stale } = await follow(id, state, pointers)
    yield* kept
    // They may not have expired.
    if (isClockDoubted()) continue
    await batchWrite(stale.map((key) => ({ table: tables.events, remove: key })))
    removed += stale.length
    if (removed >= followed.mostStale) throw sessionUnavailable("this list is being tidied up: try again", 1)
  }
}

/**
 * The numbers of the newest events on a list, at most `limit`, without a read of any event. Some may lead
 * nowhere.
 */
export async function newestNumbersOnList(
  id: Receiver.Id,
  state: "undelivered" | "inbox",
  limit: number,
): Promise<number[]> {
  const numbers: number[] = []
  const range = { after: 0, isNewestFirst: true }
  for await (const { n } of pointersOn(id, state, range, limit)) if (numbers.push(n) === limit) break
  return numbers
}

/**
 * The numbers of the events on a list, and when each was listed (Unix seconds), without a read of any event.
 * Some may lead nowhere.
 */
export async function* pointersOn(
  id: Receiver.Id,
  state: "undelivered" | "inbox",
  range: Range,
  limit?: number,
): AsyncGenerator<{ n: number; at: number }> {
  for await (const row of rowsIn(id.bridgeId, range, (_, n) => pointerKey(id, state, n), limit)) {
    const { n, expires_at } = Pointer.parse(row)
    if (expires_at > now()) yield { n, at: expires_at - EventRow.keptFor[state] }
  }
}

async function follow(id: Receiver.Id, state: EventRow.State, rows: Row[]) {
  const kept: EventRow.Info[] = []
  const all = rows.map((row) => Pointer.parse(row))
  const pointers = all.filter(({ expires_at }) => expires_at > now())
  // DynamoDB removes expired rows late.
  const stale: Key[] = all.filter(({ expires_at }) => expires_at <= now()).map(({ pk, sk }) => ({ pk, sk }))
  const found = await batchGet(
    pointers.map(({ n }) => ({ table: tables.events, key: EventRow.key(id.bridgeId, n) })),
  )
  for (const [i, { pk, sk }] of pointers.entries()) {
    const event = found[i] && EventRow.fromRow(found[i])
    // The state in the event's row is that at the first webhook.
    if (event && !Receiver.isFirst(id)) kept.push({ ...event, state })
    else if (event?.state === state) kept.push(event)
    // A pending event gets its outcome in the transaction that wrote this pointer, and will show it in a
    // moment.
    else if (event?.state !== "pending") stale.push({ pk, sk })
  }
  return { kept, stale }
}

/** The rows of a bridge whose keys are of this kind, with numbers in this range. */
async function* rowsIn(
  bridgeId: string,
  { after, before, isNewestFirst = false }: Range,
  keyOf: (bridgeId: string, n: number) => Key,
  limit = 100,
): AsyncGenerator<Row> {
  // DynamoDB refuses a range that ends before it begins.
  if (before !== undefined && before <= after + 1) return
  yield* query({
    TableName: tables.events,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :bridge AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: {
      ":bridge": `BRIDGE#${bridgeId}`,
      ":from": keyOf(bridgeId, after + 1).sk,
      ":to": keyOf(bridgeId, before === undefined ? 999_999_999_999 : before - 1).sk,
    },
    ScanIndexForward: !isNewestFirst,
    Limit: limit,
  })
}

function pointerKey(id: Receiver.Id, state: "undelivered" | "inbox", n: number) {
  return {
    pk: `BRIDGE#${id.bridgeId}`,
    sk: `${Receiver.sortKeyPrefix(id)}STATE#${state}#${EventRow.padded(n)}`,
  }
}
