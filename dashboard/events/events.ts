import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { EventType } from "#contract/event.ts"
import type { StoredEvent } from "#contract/stored-event.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { EventFeed } from "#core/event/event-feed.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { EventRow } from "#core/event/event-row.ts"
import { newEventsOf } from "#core/event/new-events.ts"
import { Receiver } from "#core/event/receiver.ts"
import { numberPage, toQuery } from "../answer.ts"
import { sentenceForPeople } from "../api-words.ts"
import { type NameOf, namesOf } from "../conversations/chat-name.ts"
import { chatField, empty, type Html, nextPage, note, selectField, field } from "../elements.ts"
import { FromTo, fromToFields, msOf } from "../from-to.ts"
import type { DashboardEnv } from "../guard.ts"
import { lastId, live, type Piece } from "../live.ts"
import { eventItem, jidsOf } from "./event-item.ts"
import { givenUpElsewhere, Outcomes } from "./event-outcomes.ts"

const perPage = 50
/** Where no process reports arrivals to this one, an event is shown this late at most. */
const lookEachMs = 1000

/** The filter in a form or a link. Parts that cannot be understood are left out. */
const Filter = z
  .object({
    state: z.enum(["pending", "delivered", "undelivered", "inbox"]).optional().catch(undefined),
    type: EventType.optional().catch(undefined),
    direction: z.enum(["in", "out"]).optional().catch(undefined),
    chat: z.string().trim().min(1).max(100).optional().catch(undefined),
    search: z.string().trim().min(1).max(100).optional().catch(undefined),
  })
  .extend(FromTo.shape)
type Filter = z.infer<typeof Filter>

function wantedBy({ since, until, type, ...filter }: Filter) {
  const { sinceMs, untilMs } = msOf({ since, until })
  return {
    ...filter,
    types: type && [type],
    since: sinceMs === undefined ? undefined : sinceMs / 1000,
    until: untilMs === undefined ? undefined : untilMs / 1000,
  }
}

/** The events that a page showed as waiting: those from one number to another. */
const Earlier = z.object({ waits: z.coerce.number().int().min(1), from: z.coerce.number().int().min(1) })

/** A number's events as they come, the newest first. */
export const events = new Hono<DashboardEnv>()
  .get("/numbers/:ref/events", async (c) => {
    const { bridge } = c.var
    const filter = Filter.parse(c.req.query())
    const before = EventRow.numberOf(c.req.query("before") ?? "")
    // Read before the list: an event that comes in between is in the list and in the stream, and shown once.
    const newest = await EventLists.newestNumber(bridge.id)
    const elsewhere = await givenUpElsewhere(bridge.id)
    const shown = {
      bridge,
      filter,
      newest,
      elsewhere,
      maySend: maySend(c, bridge),
      isFirst: before === undefined,
    }
    const title = `Events of ${bridge.customerRef}`
    try {
      const asked = { ...wantedBy(filter), from: before, isNewestFirst: true, limit: perPage }
      const read = await EventFeed.page(bridge, asked)
      const nameOf = await namesOf(
        c,
        read.events.flatMap(({ event }) => jidsOf(event)),
      )
      const body = eventsPage({ ...shown, ...read, nameOf })
      return await numberPage(c, "events", { title, body })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const body = eventsPage({ ...shown, events: [], problem: sentenceForPeople(error.message) })
      return await numberPage(c, "events", { title, body, status: error.status })
    }
  })
  .get("/numbers/:ref/events/stream", async (c) => {
    const filter = Filter.parse(c.req.query())
    const { nextPieces, end } = await eventsFollower(c, { bridge: c.var.bridge, filter, list: "events" })
    return await live(c, 20, nextPieces, end)
  })

/**
 * Looks at a bridge's events again and again, and gives those that came since its page was shown, and the
 * outcomes of those that waited there. A look lasts until there is news, `eachMs` at most. `list`: the list
 * of the page that new events are put into
 */
export async function eventsFollower(
  c: Context<DashboardEnv>,
  following: { bridge: Bridge.Info; filter: Filter; list: string; eachMs?: number },
) {
  const { bridge, filter, list, eachMs = lookEachMs } = following
  const newEvents = newEventsOf(Receiver.first(bridge.id))
  const news = async () => await newEvents.next(eachMs, c.req.raw.signal)
  const events = EventFeed.follow(bridge, await streamStartOf(c, bridge), wantedBy(filter), news)
  const outcomes = new Outcomes(bridge.id)
  const earlier = Earlier.safeParse(c.req.query()).data
  let isFirst = true
  const nextPieces = async () => {
    if (isFirst && earlier) await outcomes.addEarlier(earlier)
    isFirst = false
    const { value, done } = await events.next()
    if (done) return "over"
    const nameOf = await namesOf(
      { var: { bridge, requestId: c.var.requestId } },
      value.events.flatMap(({ event }) => jidsOf(event)),
    )
    const shown = { isNew: true, maySend: maySend(c, bridge), list, nameOf }
    const pieces = new Map<string, Piece>(
      value.events.map((stored) => {
        const item = eventItem(bridge.customerRef, stored, shown)
        return [stored.event_id, { html: item, id: stored.event_id }]
      }),
    )
    outcomes.add(value.events)
    for (const [key, piece] of await outcomes.newPieces()) pieces.set(key, piece)
    // Events that the filter leaves out are not looked at again after a break.
    return pieces.set("position", { html: "", id: `after_${value.at}` })
  }
  return { nextPieces, end: () => newEvents.end() }
}

function maySend(c: Context<DashboardEnv>, bridge: Bridge.Info): boolean {
  return bridge.webhookUrl !== "" && c.var.me.mayChange
}

/**
 * The number behind which a stream goes on: that of the last event its page has, or of the newest one when
 * the page was made.
 */
export async function streamStartOf(c: Context, { id }: Bridge.Info): Promise<number> {
  const newest = async () => await EventLists.newestNumber(id)
  const lastEventId = lastId(c)
  const [, looked] = /^after_(\d{1,12})$/.exec(lastEventId ?? "") ?? []
  if (looked !== undefined) return Math.min(Number(looked), await newest())
  const from = z.coerce.number().int().min(0).optional().catch(undefined).parse(c.req.query("from"))
  const begin = (await EventFeed.startOf(id, { lastEventId })) ?? (await newest())
  return lastEventId === undefined ? Math.min(from ?? begin, begin) : begin
}

interface Shown {
  bridge: Bridge.Info
  events: StoredEvent[]
  /** Where the next page begins. */
  next?: string | undefined
  /** The number of the newest event when the list was read: the stream goes on behind it. */
  newest: number
  filter: Filter
  elsewhere: Awaited<ReturnType<typeof givenUpElsewhere>>
  nameOf?: NameOf
  maySend: boolean
  problem?: string | undefined
  isFirst: boolean
}

function eventsPage({ bridge, events: listed, filter, isFirst, ...input }: Shown): Html {
  const ref = bridge.customerRef
  // A list of events with one outcome stands still: an event would leave it when its outcome changes.
  const isLive = isFirst && !input.problem && mayGrow(filter)
  const query = { ...filter, from: String(input.newest), waits: firstWaiting(listed) }
  const stream = `/numbers/${ref}/events/stream?${toQuery(query)}`
  const { maySend: may, nameOf } = input
  const shown = { maySend: may, list: "events", ...(nameOf && { nameOf }) }
  return html`${input.problem ? note("bad", input.problem) : ""} ${filterForm(ref, filter)}
    <section class="card flush" ${isLive ? html`data-stream="${stream}"` : ""} aria-label="Events">
      <header>
        <h2>${isFirst ? "Latest events" : "Earlier events"}</h2>
        ${isLive ? html`<button type="button" class="button slim needs-script" data-pause aria-pressed="false">Pause this list</button>` : ""}
      </header>
      ${listed.length > 0 ? "" : nothing(bridge, filter, input.next)}
      <ul class="feed" id="events">
        ${listed.map((event) => eventItem(ref, event, { ...shown, elsewhere: input.elsewhere.get(EventRow.numberOf(event.event_id) ?? 0) }))}
      </ul>
    </section>
    ${nextPage(input.next && `/numbers/${ref}/events?${toQuery({ ...filter, before: input.next })}`, "Earlier events")}`
}

/** The lowest number of an event that is shown as waiting. */
export function firstWaiting(listed: StoredEvent[]): string | undefined {
  const numbers = listed.flatMap(({ state, event_id }) =>
    state === "pending" ? (EventRow.numberOf(event_id) ?? []) : [],
  )
  return numbers.length === 0 ? undefined : String(Math.min(...numbers))
}

const outcomes = [
  ["", "All"],
  ["delivered", "Delivered"],
  ["undelivered", "Undelivered"],
  ["pending", "Waiting"],
  ["inbox", "Kept here"],
] as const
const types = [["", "All types"], ...EventType.options.map((type) => [type, type] as const)] as const
const directions = [
  ["", "Both ways"],
  ["in", "From others"],
  ["out", "From the phone"],
] as const

function filterForm(ref: string, filter: Filter): Html {
  return html`<form class="inline" method="get" action="/numbers/${ref}/events" aria-label="Filter">
    ${selectField({ name: "state", label: "Outcome", choices: outcomes, chosen: filter.state })}
    ${selectField({ name: "type", label: "Type", choices: types, chosen: filter.type })}
    ${selectField({ name: "direction", label: "Direction", choices: directions, chosen: filter.direction, width: "wider" })}
    ${chatField(filter.chat)}
    ${field("Contains", { name: "search", type: "search", value: filter.search ?? "" })}
    ${fromToFields(filter)}
    <div class="row">
      <button class="button">Filter</button>
      ${isFiltered(filter) ? html`<a href="/numbers/${ref}/events">Show all</a>` : ""}
    </div>
  </form>`
}

/** Nothing to show: why, and what to do about it. */
function nothing(bridge: Bridge.Info, filter: Filter, next: string | undefined): Html {
  const sentence = !isFiltered(filter)
    ? "Link a phone and write to it: each message appears here as it comes."
    : next === undefined
      ? `Nothing that is kept matches.${mayGrow(filter) ? " New events that match appear here." : ""}`
      : "Nothing among the latest 2,000 matches. Look at earlier ones below."
  const first = bridge.isSandbox
    ? html`<a class="button main" href="/start">Write from the sandbox's phone</a>`
    : html`<a class="button main" href="/numbers/${bridge.customerRef}/connect">Link a phone</a>`
  return empty({
    id: "events-empty",
    icon: "inbox",
    title: isFiltered(filter) ? "No event matches" : "No event yet",
    about: sentence,
    action: isFiltered(filter) ? "" : first,
  })
}

/** Whether a new event may come onto the list. */
function mayGrow({ state, until }: Filter): boolean {
  return state === undefined && until === undefined
}

function isFiltered(filter: Filter): boolean {
  return Object.values(filter).some((value) => value !== undefined)
}
