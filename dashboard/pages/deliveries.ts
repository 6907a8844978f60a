import { html } from "hono/html"
import type { Attempt, StoredEvent } from "#core/contract/delivery.ts"
import { ago, copyButton, type Html, press } from "../elements.ts"
import { icon } from "../elements.ts"
import { numberHead } from "../layout.ts"
import { outcome, type Receiving, receiverLine } from "../numbers/receiver.ts"

interface Shown {
  ref: string
  isSandbox: boolean
  receiving: Receiving
  attempts: Attempt[]
  mayChange: boolean
  nowMs: number
}

interface GivenUp {
  /** Those that were given up, newest first, and whether there are more. */
  undelivered: StoredEvent[]
  hasMore: boolean
}

/** How a number's events get to their receiver: what waits, what was tried, what was given up. */
export function deliveriesPage(input: Shown & GivenUp & { told?: Html | string | undefined }): Html {
  const { ref, receiving } = input
  if (receiving.url === "")
    return html`${numberHead({ ref, isSandbox: input.isSandbox, tab: "deliveries" })}
      <div class="card empty">
        ${icon("send")}
        <h2>Nothing is delivered</h2>
        <p>This number has no webhook: its events stay in the inbox here.</p>
        <div class="row">
          <a class="button main" href="/numbers/${ref}/settings">Give it a webhook</a>
          <a class="button" href="/numbers/${ref}/events">See its events</a>
        </div>
      </div>`
  return html`${numberHead({ ref, isSandbox: input.isSandbox, tab: "deliveries" })} ${input.told ?? ""}
    <div class="stack" data-stream="/numbers/${ref}/deliveries/stream">
      ${headCard(input)} ${givenUpCard(input)} ${attemptsCard(input)}
    </div>`
}

/** The waiting events and the state of the receiver, which the stream renews. */
export function headCard({ ref, receiving, mayChange, nowMs }: Shown): Html {
  const { headId } = receiving
  return html`<section class="card" id="delivery-head" aria-label="The receiver">
    <div class="row spread">
      <div>${receiverLine(receiving, nowMs)}</div>
      ${
        mayChange
          ? html`<div class="row">
              ${headId === undefined ? "" : press({ action: `/numbers/${ref}/events/${headId}/retry`, label: "Try it now", kind: "main" })}
              ${press({ action: `/numbers/${ref}/deliveries/test`, label: "Send a test event" })}
            </div>`
          : ""
      }
    </div>
    <dl class="facts">
      <dt>Webhook</dt>
      <dd class="mono">${receiving.url}</dd>
      ${
        headId === undefined
          ? ""
          : html`<dt>Next event</dt>
              <dd>
                <a class="mono" href="/numbers/${ref}/events/${headId}">${headId.slice(0, 20)}…</a>
                ${copyButton(headId)}
              </dd>`
      }
    </dl>
  </section>`
}

/** How far back events are sent again, in seconds. */
const spans = [
  ["3600", "of the last hour"],
  ["86400", "of the last day"],
  ["604800", "of the last week"],
  ["2592000", "of the last 30 days"],
] as const

/** The events that were given up, as the stream sends them again when they are others than before. */
export function givenUpCard({ ref, undelivered, hasMore, mayChange, nowMs }: Shown & GivenUp): Html {
  if (undelivered.length === 0) return html`<section id="given-up" hidden></section>`
  const ids = undelivered.map((stored) => stored.event_id)
  return html`<section class="card flush" id="given-up" data-keep="${ids.join(" ")} ${hasMore}">
    <header>
      <h2>Given up: ${undelivered.length}${hasMore ? " and more" : ""}</h2>
      <p>
        Each was tried five times, refused by the receiver, or given up by hand. One that is sent again comes
        out of its order.
      </p>
      ${
        mayChange
          ? html`<form class="inline" method="post" action="/numbers/${ref}/deliveries/resend">
              <div>
                <label class="hidden" for="within">Which</label>
                <select id="within" name="within">
                  ${spans.map(([seconds, words]) => html`<option value="${seconds}">All ${words}</option>`)}
                </select>
              </div>
              <button class="button">Send them again</button>
            </form>`
          : ""
      }
    </header>
    <ul class="feed">
      ${undelivered.map(
        (stored) =>
          html`<li class="line">
            <span class="tag">${stored.event.event}</span>
            <a class="about mono" href="/numbers/${ref}/events/${stored.event_id}">${stored.event_id}</a>
            <span class="row">
              <span class="small muted">${ago(stored.created_at * 1000, nowMs)}</span>
              ${copyButton(stored.event_id)}
            </span>
          </li>`,
      )}
    </ul>
  </section>`
}

/** The latest attempts, as the stream sends them again. */
export function attemptsCard({ ref, attempts, nowMs }: Shown): Html {
  return html`<section class="card flush" id="attempts">
    <header><h2>Latest attempts</h2></header>
    ${
      attempts.length === 0
        ? html`<div class="empty"><p>Nothing was sent yet. The first event that comes is.</p></div>`
        : html`<div class="scroller" tabindex="0" role="region" aria-label="Attempts">
            <table>
              <thead>
                <tr>
                  <th>Outcome</th>
                  <th>Event</th>
                  <th>Attempt</th>
                  <th>Took</th>
                  <th>When</th>
                </tr>
              </thead>
              <tbody>
                ${attempts.slice(0, 50).map((attempt) => attemptRow(ref, attempt, nowMs))}
              </tbody>
            </table>
          </div>`
    }
  </section>`
}

function attemptRow(ref: string, attempt: Attempt, nowMs: number): Html {
  return html`<tr>
    <td>${outcome(attempt)}</td>
    <td>
      <span class="tag">${attempt.event}</span>
      <div class="small mono">
        <a href="/numbers/${ref}/events/${attempt.event_id}">${attempt.event_id.slice(0, 16)}…</a>
        ${copyButton(attempt.event_id)}
      </div>
    </td>
    <td class="number">${attempt.attempt}</td>
    <td class="number">${attempt.latency_ms} ms</td>
    <td class="small muted">${ago(Date.parse(attempt.timestamp), nowMs)}</td>
  </tr>`
}
