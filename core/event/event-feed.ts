export * as EventFeed from "./event-feed.ts"

import { setTimeout as sleep } from "node:timers/promises"
import type { Event } from "#contract/event.ts"
import type { StoredEvent } from "#contract/stored-event.ts"
import { Bridge } from "../bridge/bridge.ts"
import { toJid } from "../message/jid.ts"
import { Delivery } from "./delivery.ts"
import { EventLists } from "./event-lists.ts"
import { EventRow } from "./event-row.ts"
import { Filter } from "./filter.ts"

/** Which events of a bridge are wanted. */
export interface Wanted {
  types?: readonly Event["event"][] | undefined
  /** A chat as the contract accepts it. */
  chat?: string | undefined
  /** The only chats (JIDs) of which events are wanted, and none of no chat; undefined: all. */
  chats?: string[] | undefined
  /** `out`: written on the phone or another of its devices. Events without a writer have no direction. */
  direction?: "in" | "out" | undefined
  /** Text that the event contains anywhere, in whichever case. */
  search?: string | undefined
  /** Only events that were created at this time or later, and before that one; Unix seconds. */
  since?: number | undefined
  until?: number | undefined
}

interface Asked extends Wanted {
  /** Of a page that begins with the oldest: it ends before the first event that was created at this time. */
  until?: number | undefined
  /**
   * Absent: every event that is kept, in whatever state. Delivered ones have no list: they are picked from
   * all.
   */
  state?: EventLists.ListedState | "delivered" | undefined
  /** The webhook at which events are in this state; undefined: the first. */
  webhook?: Delivery.Info | undefined
  /** Go on behind the event of this number. */
  from?: number | undefined
  isNewestFirst?: boolean | undefined
  limit: number
  maxBytes?: number | undefined
}

/** Longer than the rows of a transaction take to become visible. */
const gapMs = 1000
/** How much is read for one page, since a filter may match little of it. */
const most = { events: 2000, bytes: 8_000_000 }

/**
 * A page of a bridge's events. It ends at `limit`, or before its bodies exceed `maxBytes`, or after much was
 * read and little matched.
 * @returns the events, and the id of the last one that was looked at unless there are no more.
 */
export async function page(
  bridge: Bridge.Info,
  asked: Asked,
): Promise<{ events: StoredEvent[]; next?: string }> {
  const { limit, maxBytes = Infinity } = asked
  const { webhook } = asked
  const filter = asked.state === "pending" ? webhook?.receiver.filter : undefined
  const read = reader(await Bridge.deliveryKeyOf(bridge), { ...asked, filter })
  const events: StoredEvent[] = []
  const bytes = { found: 0, read: 0 }
  let looked = 0
  let last: EventRow.Info | undefined
  for await (const event of await walk(bridge.id, asked)) {
    if (asked.until !== undefined && event.createdAt >= asked.until) return { events }
    if (events.length === limit || looked === most.events || bytes.read > most.bytes) return ended()
    const found = read(event)
    if (found && events.length > 0 && bytes.found + event.body.length > maxBytes) return ended()
    last = event
    looked++
    bytes.read += event.body.length
    if (!found) continue
    bytes.found += event.body.length
    events.push(found)
  }
  return { events }

  function ended() {
    return { events, ...(last && { next: last.eventId }) }
  }
}

async function walk(bridgeId: string, asked: Asked): Promise<AsyncIterable<EventRow.Info>> {
  const { state, webhook, from, isNewestFirst = false, since, until } = asked
  const head = state === "inbox" || state === "undelivered" ? 0 : (webhook?.head ?? (await headOf(bridgeId)))
  const first = since === undefined ? 1 : await EventLists.firstSince(bridgeId, since)
  const after = Math.max(first - 1, state === "pending" ? head : 0)
  // Events after the head wait. There may be thousands.
  const end = until === undefined ? undefined : await EventLists.firstSince(bridgeId, until)
  const upTo = end !== undefined && isNewestFirst ? Math.min(from ?? Infinity, end) : from
  const before = state === "delivered" ? Math.min(upTo ?? Infinity, head + 1) : upTo
  const range = isNewestFirst
    ? { after, before, isNewestFirst }
    : { after: Math.max(after, from ?? 0), isNewestFirst }
  if (state === "inbox" || state === "undelivered")
    return EventLists.onList(webhook ?? Delivery.first(bridgeId), state, range)
  const kept = EventLists.allKept(bridgeId, range, head)
  return webhook && state === "pending" ? EventLists.asPending(kept) : kept
}

async function headOf(bridgeId: string): Promise<number> {
  return (await Delivery.get(Delivery.first(bridgeId)))?.head ?? 0
}

/** Opens an event, if it is wanted. The chat is sealed with the body. */
function reader(
  deliveryKey: Uint8Array,
  wanted: Wanted & { state?: Asked["state"]; filter?: Filter.Info | undefined },
): (event: EventRow.Info) => StoredEvent | undefined {
  const chat = wanted.chat === undefined ? undefined : toJid(wanted.chat)
  const search = wanted.search?.toLowerCase()
  return (event) => {
    if (wanted.types?.some((type) => type === event.type) === false) return undefined
    if (wanted.state === "delivered" && event.state !== "delivered") return undefined
    if (wanted.since !== undefined && event.createdAt < wanted.since) return undefined
    if (wanted.until !== undefined && event.createdAt >= wanted.until) return undefined
    const body = eventIn(event, deliveryKey)
    if (chat !== undefined && !Filter.isOfChats(body, [chat])) return undefined
    if (wanted.chats && !Filter.isOfChats(body, wanted.chats)) return undefined
    if (wanted.direction !== undefined && directionOf(body) !== wanted.direction) return undefined
    if (search !== undefined && !contains(body, search)) return undefined
    if (wanted.filter && !Filter.passes(wanted.filter, body)) return undefined
    return { event_id: event.eventId, state: event.state, created_at: event.createdAt, event: body }
  }
}

function directionOf(event: Event): "in" | "out" | undefined {
  if ("from_me" in event) return event.from_me ? "out" : "in"
  return event.event === "call_incoming" ? "in" : undefined
}

/** Whether a text is in a value, or in one inside it. Names of fields do not count. */
function contains(value: unknown, text: string): boolean {
  if (typeof value === "string") return value.toLowerCase().includes(text)
  return (
    typeof value === "object" && value !== null && Object.values(value).some((one) => contains(one, text))
  )
}

/** The events of these ids that are kept, by their ids. */
export async function byIds(bridge: Bridge.Info, eventIds: string[]): Promise<Map<string, Event>> {
  const deliveryKey = await Bridge.deliveryKeyOf(bridge)
  const rows = await EventRow.byNumbers(
    bridge.id,
    eventIds.flatMap((id) => EventRow.numberOf(id) ?? []),
  )
  return new Map(rows.map((row) => [row.eventId, eventIn(row, deliveryKey)]))
}

function eventIn(row: EventRow.Info, deliveryKey: Uint8Array): Event {
  return JSON.parse(EventRow.bodyOf(row, deliveryKey).toString()) as Event // as it was written
}

/** What one look at a bridge's events found. */
interface Look {
  events: StoredEvent[]
  /** The number of the last event that was looked at. */
  at: number
  /** The id behind which a reader that comes back goes on; undefined if nothing is new. */
  id: string | undefined
  /** How many events are no longer kept, up to this number. */
  missed?: number
}

/**
 * The events after this number, as they are appended: one batch per look, often an empty one. `news` resolves
 * when it is time for another look.
 */
export async function* follow(
  bridge: Bridge.Info,
  after: number,
  wanted: Wanted,
  news: () => Promise<void>,
): AsyncGenerator<Look> {
  const read = reader(await Bridge.deliveryKeyOf(bridge), wanted)
  let at = after
  let gap: number | undefined
  for (;;) {
    const { next, beyond } = await EventRow.after(bridge.id, at)
    const head = next.length > 0 ? await headOf(bridge.id) : 0
    at = next.at(-1)?.n ?? at
    yield {
      events: next.flatMap((event) => read(EventRow.asOf(event, head)) ?? []),
      at,
      id: next.at(-1)?.eventId,
    }
    if (next.length > 0) continue
    // The rows of a transaction may become visible one by one. A gap that is still there later has expired.
    if (beyond === undefined) await news()
    if (beyond !== undefined && beyond === gap) {
      const missed = await eventsBetween(bridge.id, at, beyond)
      at = beyond - 1
      yield { events: [], at, id: EventRow.idWithoutEvent(at), missed }
    }
    if (beyond !== undefined && beyond !== gap) await sleep(gapMs)
    gap = beyond
  }
}

/** How many events there were between two numbers, both excluded. */
async function eventsBetween(bridgeId: string, after: number, before: number): Promise<number> {
  const { skipped = [] } = (await Delivery.get(Delivery.first(bridgeId))) ?? {}
  return Delivery.waiting({ head: after, skipped }, before) - 1
}

/**
 * The number after which a stream goes on: that of the last event its reader has, or the newest one.
 * @returns undefined when the bridge never had that event
 */
export async function startOf(
  bridgeId: string,
  from: { lastEventId?: string | undefined; since?: number | undefined },
): Promise<number | undefined> {
  if (from.lastEventId === undefined && from.since !== undefined)
    return (await EventLists.firstSince(bridgeId, from.since)) - 1
  const newest = await EventLists.newestNumber(bridgeId)
  if (from.lastEventId === undefined) return newest
  const behind = await EventLists.numberBehind(bridgeId, from.lastEventId)
  // Where no event is kept, the head says how many there have been.
  return behind === undefined ? undefined : Math.min(behind, Math.max(newest, await headOf(bridgeId)))
}

/** The id with which a reader goes on behind event `n`. */
export async function idAt(bridgeId: string, n: number): Promise<string> {
  return (await EventRow.get(bridgeId, n))?.eventId ?? EventRow.idWithoutEvent(n)
}
