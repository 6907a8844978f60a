import { html } from "hono/html"
import type { StoredEvent } from "#core/contract/delivery.ts"
import type { EventType } from "#core/contract/event.ts"
import { eventItem } from "../parts/event.ts"
import { type Html, note } from "../parts/html.ts"
import { icon } from "../parts/icon.ts"
import { numberHead } from "../parts/number-head.ts"

interface Shown {
  ref: string
  isSandbox: boolean
  events: StoredEvent[]
  /** Where the next page begins. */
  next?: string | undefined
  /** The types that can be chosen. */
  types: typeof EventType.options
  filter: { type: string; chat: string }
  hasWebhook: boolean
  mayChange: boolean
  problem?: string | undefined
  isFirst: boolean
  nowMs: number
}

/** The events of a number, newest first, as they come. */
export function eventsPage(input: Shown): Html {
  const { ref, events, filter, nowMs } = input
  const query = new URLSearchParams({ ...filter, after: events[0]?.event_id ?? "" }).toString()
  const isFiltered = filter.type !== "" || filter.chat !== ""
  return html`${numberHead({ ref, isSandbox: input.isSandbox, tab: "events" })}
    ${input.problem ? note("bad", input.problem) : ""}
    <form class="inline" method="get" action="/numbers/${ref}/events" aria-label="Filter">
      <div>
        <label for="type">Type</label>
        <select id="type" name="type">
          <option value="">All types</option>
          ${input.types.map(
            (type) =>
              html`<option value="${type}" ${type === filter.type ? "selected" : ""}>${type}</option>`,
          )}
        </select>
      </div>
      <div>
        <label for="chat">Chat</label>
        <input
          id="chat"
          name="chat"
          value="${filter.chat}"
          placeholder="A number or JID"
          autocomplete="off"
        />
      </div>
      <button class="button">Filter</button>
      ${isFiltered ? html`<a class="button" href="/numbers/${ref}/events">All</a>` : ""}
    </form>
    <section
      class="card flush"
      ${input.isFirst && !input.problem ? html`data-stream="/numbers/${ref}/events/stream?${query}"` : ""}
      aria-label="Events"
    >
      <header>
        <h2>${input.isFirst ? "Latest events" : "Earlier events"}</h2>
        ${input.isFirst ? html`<button type="button" class="button slim needs-script" data-pause aria-pressed="false">Pause</button>` : ""}
      </header>
      ${
        events.length > 0
          ? ""
          : html`<div class="empty" id="events-empty">
              ${icon("inbox")}
              <h2>${isFiltered ? "No such event" : "No event yet"}</h2>
              <p>
                ${
                  isFiltered
                    ? "Nothing that is kept matches. New events that match appear here."
                    : "Link a phone and write to it: each message appears here as it comes."
                }
              </p>
            </div>`
      }
      <ul class="feed" id="events">
        ${events.map((event) => eventItem(ref, event, { nowMs, maySend: input.hasWebhook && input.mayChange, list: "events" }))}
      </ul>
    </section>
    ${
      input.next === undefined
        ? ""
        : html`<div class="row">
            <a
              class="button"
              href="/numbers/${ref}/events?${new URLSearchParams({ ...filter, before: input.next }).toString()}"
              >Earlier events</a
            >
          </div>`
    }`
}
