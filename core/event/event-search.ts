export * as EventSearch from "./event-search.ts"

import type { Event } from "#contract/event.ts"
import type { StoredEvent } from "#contract/stored-event.ts"
import { Bridge } from "../bridge/bridge.ts"
import { isSameSpelt, spellingsOf } from "../message/spellings.ts"
import { now } from "../platform/clock.ts"
import { batchGet } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Delivery } from "./delivery.ts"
import { EventIndex } from "./event-index.ts"
import { EventLists } from "./event-lists.ts"
import { EventRow } from "./event-row.ts"
import { folded } from "./folded.ts"

interface Asked {
  /** Folded texts: an event that has one of them is found. */
  texts: string[]
  /** Only events of this chat (a JID). */
  chat?: string | undefined
  /** Only events before this number. */
  before?: number | undefined
  limit: number
  /** This process may not write: it reads what it searches, and leaves nothing for the next search. */
  isReader?: boolean
  /** Whether the time for this search is over. */
  isOver: () => boolean
}

/** What was found, newest first; `before`: where the search goes on, if it did not look at all events. */
export interface Found {
  events: StoredEvent[]
  before?: number
}

/** The newest events of a bridge that contain one of these texts, as far as there is time. */
export async function newest(bridge: Bridge.Info, asked: Asked): Promise<Found> {
  const { texts, chat, limit, isReader = false, isOver } = asked
  const before = asked.before ?? (await EventLists.newestNumber(bridge.id)) + 1
  if (before <= 1) return { events: [] }
  const [deliveryKey, delivery] = await Promise.all([
    Bridge.deliveryKeyOf(bridge),
    Delivery.get(Delivery.first(bridge.id)),
  ])
  const events: StoredEvent[] = []
  const ofChat = chat === undefined ? [""] : spellingsOf(chat).map(folded)
  const source = { bridgeId: bridge.id, deliveryKey, head: delivery?.head ?? 0, isReader }
  for await (const { first, words } of EventIndex.backwards(source, before)) {
    const numbers = words
      .filter(([, one]) => [ofChat, texts].every((some) => some.some((text) => one.includes(text))))
      .map(([n]) => n)
    const wanted = numbers.toSorted((a, b) => b - a).slice(0, limit - events.length)
    for (const row of await EventRow.byNumbers(bridge.id, wanted))
      for (const stored of opened(EventRow.asOf(row, source.head), deliveryKey))
        if (chat === undefined || isOf(stored, chat)) events.push(stored)
    events.sort((a, b) => numberOf(b) - numberOf(a))
    const isCut = wanted.length < numbers.length || events.length >= limit
    if (isCut && wanted.length > 0) return { events, before: wanted.at(-1)! }
    if (isOver() && first > 1) return { events, before: first }
  }
  return { events }
}

/** None for an event that is kept no longer: DynamoDB removes expired rows late. */
function opened(event: EventRow.Info, deliveryKey: Uint8Array): StoredEvent[] {
  if (event.state !== "pending" && event.expiresAt <= now()) return []
  const body = JSON.parse(EventRow.bodyOf(event, deliveryKey).toString()) as Event // as it was written
  return [{ event_id: event.eventId, state: event.state, created_at: event.createdAt, event: body }]
}

function isOf({ event }: StoredEvent, chat: string): boolean {
  return "chat_id" in event && isSameSpelt(event.chat_id, chat)
}

function numberOf({ event_id: id }: StoredEvent): number {
  return EventRow.numberOf(id) ?? 0
}

/** How many requests for events by their ids are under way at once. */
const sideBySide = 8
/** As many as one request reads. */
const together = 100

/** Which of these bridges has the event of this id: its number is in the id, so one read of each shows it. */
export async function bridgeOf<One extends { id: string }>(
  bridges: One[],
  eventId: string,
): Promise<One | undefined> {
  const n = EventRow.numberOf(eventId)
  if (n === undefined) return undefined
  const parts = Array.from({ length: Math.ceil(bridges.length / together) }, (_, i) =>
    bridges.slice(i * together, (i + 1) * together),
  )
  let found: One | undefined
  const look = async () => {
    for (let part = parts.pop(); part && !found; part = parts.pop()) {
      const rows = await batchGet(part.map(({ id }) => ({ table: tables.events, key: EventRow.key(id, n) })))
      const at = rows.findIndex((row) => row?.event_id === eventId)
      if (at >= 0) found = part[at]
    }
  }
  await Promise.all(Array.from({ length: sideBySide }, look))
  return found
}

/** How many events around the time of a message are looked at. */
const near = 500

/** The id of the event that a message became which came at this time, Unix seconds. */
export async function eventOfMessage(
  bridge: Bridge.Info,
  messageId: string,
  at: number,
): Promise<string | undefined> {
  const deliveryKey = await Bridge.deliveryKeyOf(bridge)
  const first = await EventLists.firstSince(bridge.id, at - 2)
  const range = { after: first - 1, before: first + near }
  for await (const row of EventLists.allKept(bridge.id, range, 0)) {
    if (row.type !== "message" && row.type !== "message_lost") continue
    const [stored] = opened(row, deliveryKey)
    if (stored && "message_id" in stored.event && stored.event.message_id === messageId) return row.eventId
  }
  return undefined
}
