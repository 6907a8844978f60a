import { html } from "hono/html"
import type { StoredEvent } from "#core/contract/delivery.ts"
import type { EventType } from "#core/contract/event.ts"
import { eventItem } from "../numbers/event-item.ts"
import { type Html, note } from "../elements.ts"
import { icon } from "../elements.ts"
import { numberHead } from "../layout.ts"

type Filter = Partial<Record<"type" | "direction" | "chat" | "search", string | undefined>>

interface Shown {
  ref: string
  isSandbox: boolean
  events: StoredEvent[]
  /** Where the next page begins. */
  next?: string | undefined
  /** The number of the newest event when the list was read: the stream goes on behind it. */
  newest: number
  /** The types that can be chosen. */
  types: typeof EventType.options
  filter: Filter
  hasWebhook: boolean
  mayChange: boolean
  problem?: string | undefined
  isFirst: boolean
  nowMs: number
}

/** The events of a number, newest first, as they come. */
export function eventsPage(input: Shown): Html {
  const { ref, events, filter, nowMs } = input
  const isLive = input.isFirst && !input.problem
  const stream = `/numbers/${ref}/events/stream?${queryOf({ ...filter, from: String(input.newest) })}`
  return html`${numberHead({ ref, isSandbox: input.isSandbox, tab: "events" })}
    ${input.problem ? note("bad", input.problem) : ""} ${filterForm(input)}
    <section class="card flush" ${isLive ? html`data-stream="${stream}"` : ""} aria-label="Events">
      <header>
        <h2>${input.isFirst ? "Latest events" : "Earlier events"}</h2>
        ${isLive ? html`<button type="button" class="button slim needs-script" data-pause aria-pressed="false">Pause</button>` : ""}
      </header>
      ${events.length > 0 ? "" : nothing(input)}
      <ul class="feed" id="events">
        ${events.map((event) => eventItem(ref, event, { nowMs, maySend: input.hasWebhook && input.mayChange, list: "events" }))}
      </ul>
    </section>
    ${
      input.next === undefined
        ? ""
        : html`<div class="row">
            <a class="button" href="/numbers/${ref}/events?${queryOf({ ...filter, before: input.next })}"
              >Earlier events</a
            >
          </div>`
    }`
}

function option(value: string, text: string, chosen: string | undefined): Html {
  return html`<option value="${value}" ${value === chosen ? "selected" : ""}>${text}</option>`
}

function filterForm({ ref, types, filter }: Shown): Html {
  return html`<form class="inline" method="get" action="/numbers/${ref}/events" aria-label="Filter">
    <div>
      <label for="type">Type</label>
      <select id="type" name="type">
        <option value="">All types</option>
        ${types.map((type) => option(type, type, filter.type))}
      </select>
    </div>
    <div>
      <label for="direction">Direction</label>
      <select id="direction" name="direction">
        <option value="">Both ways</option>
        ${option("in", "Received", filter.direction)}
        ${option("out", "Written on the phone", filter.direction)}
      </select>
    </div>
    <div>
      <label for="chat">Chat</label>
      <input
        id="chat"
        name="chat"
        value="${filter.chat ?? ""}"
        placeholder="A number or JID"
        autocomplete="off"
        spellcheck="false"
      />
    </div>
    <div>
      <label for="search">Contains</label>
      <input id="search" name="search" type="search" value="${filter.search ?? ""}" autocomplete="off" />
    </div>
    <button class="button">Filter</button>
    ${isFiltered(filter) ? html`<a class="button" href="/numbers/${ref}/events">Show all</a>` : ""}
  </form>`
}

/** Nothing to show: why, and what to do about it. */
function nothing({ ref, filter, next, isSandbox }: Shown): Html {
  const sentence = !isFiltered(filter)
    ? "Link a phone and write to it: each message appears here as it comes."
    : next === undefined
      ? "Nothing that is kept matches. New events that match appear here."
      : "Nothing among the latest 2,000 matches. Look at earlier ones below."
  return html`<div class="empty" id="events-empty">
    ${icon("inbox")}
    <h2>${isFiltered(filter) ? "No such event" : "No event yet"}</h2>
    <p>${sentence}</p>
    ${
      isFiltered(filter)
        ? ""
        : isSandbox
          ? html`<a class="button main" href="/">Write from the sandbox's phone</a>`
          : html`<a class="button main" href="/numbers/${ref}/connect">Link a phone</a>`
    }
  </div>`
}

function isFiltered(filter: Filter): boolean {
  return Object.values(filter).some((value) => value !== undefined)
}

function queryOf(values: Record<string, string | undefined>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return new URLSearchParams(given).toString()
}
