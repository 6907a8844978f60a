import { html } from "hono/html"
import type { DeliveryOfEvent, Attempt, StoredEvent } from "#core/contract/delivery.ts"
import { stateWords } from "../parts/event.ts"
import { ago, block, copyable, type Html, note, press, time } from "../parts/html.ts"
import { icon } from "../parts/icon.ts"
import { numberHead } from "../parts/number-head.ts"
import { type Receiving, receiverLine } from "../parts/receiver.ts"

interface Shown {
  ref: string
  isSandbox: boolean
  receiving: Receiving
  attempts: Attempt[]
  /** Those that were given up, oldest first. */
  undelivered: StoredEvent[]
  mayChange: boolean
  nowMs: number
  told?: Html | string | undefined
}

/** How a number's events get to their receiver: what waits, what was tried, what was given up. */
export function deliveriesPage(input: Shown): Html {
  const { ref, receiving, undelivered, mayChange } = input
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
      ${headCard(input)}
      ${
        undelivered.length === 0
          ? ""
          : html`<section class="card flush">
              <header>
                <h2>Given up: ${undelivered.length}${undelivered.length >= 100 ? " or more" : ""}</h2>
                ${mayChange ? press({ action: `/numbers/${ref}/deliveries/resend`, label: "Send all of these again", kind: "slim" }) : ""}
                <p>
                  Each was tried five times, or refused by the receiver. Sent again, it goes between two other
                  events.
                </p>
              </header>
              <ul class="feed">
                ${undelivered.slice(0, 20).map(
                  (stored) =>
                    html`<li class="line">
                      <span class="tag">${stored.event.event}</span>
                      <a class="about mono" href="/numbers/${ref}/events/${stored.event_id}"
                        >${stored.event_id}</a
                      >
                      <span class="small muted">${ago(stored.created_at * 1000, input.nowMs)}</span>
                    </li>`,
                )}
              </ul>
            </section>`
      }
      ${attemptsCard(input)}
    </div>`
}

/** What waits and how the receiver does, as the stream sends it again. */
export function headCard({ ref, receiving, mayChange, nowMs }: Shown): Html {
  return html`<section class="card" id="delivery-head">
    <div class="row spread">
      <div>${receiverLine(receiving, nowMs)}</div>
      ${mayChange ? press({ action: `/numbers/${ref}/deliveries/test`, label: "Send a test event" }) : ""}
    </div>
    <p class="mono muted">${receiving.url}</p>
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
                ${attempts.slice(0, 50).map(
                  (attempt) =>
                    html`<tr>
                      <td>${outcome(attempt)}</td>
                      <td>
                        <span class="tag">${attempt.event}</span>
                        <div class="small mono">
                          <a href="/numbers/${ref}/events/${attempt.event_id}"
                            >${attempt.event_id.slice(0, 16)}…</a
                          >
                        </div>
                      </td>
                      <td class="number">${attempt.attempt}</td>
                      <td class="number">${attempt.latency_ms} ms</td>
                      <td class="small muted">${ago(Date.parse(attempt.timestamp), nowMs)}</td>
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>`
    }
  </section>`
}

/** What an attempt came to. */
function outcome(attempt: Attempt): Html {
  const word = attempt.status_code > 0 ? String(attempt.status_code) : attempt.error
  return html`<span class="state ${attempt.success ? "good" : "bad"}">${word}</span>`
}

/** One event: what became of it, what was sent, and what each attempt met with. */
export function eventPage(input: {
  ref: string
  isSandbox: boolean
  type: string
  delivery: DeliveryOfEvent
  /** It is this event's turn. */
  isHead: boolean
  hasWebhook: boolean
  mayChange: boolean
  told?: Html | string | undefined
}): Html {
  const { ref, delivery } = input
  const headers = Object.entries(delivery.headers).map(([name, value]) => `${name}: ${value}`)
  return html`${numberHead({ ref, isSandbox: input.isSandbox, tab: "deliveries" })} ${input.told ?? ""}
    <section class="card">
      <div class="row spread">
        <h2><span class="tag">${input.type}</span> ${stateWords.get(delivery.state) ?? delivery.state}</h2>
        ${input.hasWebhook && input.mayChange ? html`<div class="row">${actions(input)}</div>` : ""}
      </div>
      <dl class="facts">
        <dt>Event</dt>
        <dd>${copyable(delivery.event_id)}</dd>
        <dt>Came</dt>
        <dd>${time(delivery.created_at * 1000)}</dd>
      </dl>
    </section>
    <section class="card flush">
      <header>
        <h2>Attempts</h2>
        <p>Failures of the last 7 days, and all of the number's latest 200 attempts.</p>
      </header>
      ${
        delivery.attempts.length === 0
          ? html`<div class="empty">
              <p>${input.hasWebhook ? "None is known." : "It was not sent: there is no webhook."}</p>
            </div>`
          : html`<ol class="feed">
              ${delivery.attempts.map(attemptItem)}
            </ol>`
      }
    </section>
    <section class="card">
      <h2>What is sent</h2>
      ${headers.length === 0 ? "" : block(headers.join("\n"), "Headers")} ${block(delivery.body, "Body")}
    </section>`
}

function actions({
  ref,
  delivery,
  isHead,
}: {
  ref: string
  delivery: DeliveryOfEvent
  isHead: boolean
}): Html {
  const at = `/numbers/${ref}/events/${delivery.event_id}`
  if (delivery.state !== "pending")
    return press({ action: `${at}/resend`, label: "Send it again", kind: "main" })
  if (!isHead) return html`<span class="small muted">Others are before it.</span>`
  return html`${press({ action: `${at}/retry`, label: "Try it now", kind: "main" })}
    <details class="plain">
      <summary>Give it up</summary>
      <p class="small">
        The next event goes out at once. This one is kept for 30 days, and can be sent again.
      </p>
      ${press({ action: `${at}/skip`, label: "Give this event up", kind: "danger" })}
    </details>`
}

function attemptItem(attempt: DeliveryOfEvent["attempts"][number]): Html {
  return html`<li>
    <div class="line">
      ${outcome(attempt)}
      <span
        >Attempt ${attempt.attempt}${attempt.resend ? ", sent again" : ""}, after ${attempt.latency_ms} ms
        ${attempt.url === "" ? "" : html`<span class="small mono muted">${attempt.url}</span>`}</span
      >
      <span class="small muted">${time(Date.parse(attempt.timestamp))}</span>
    </div>
    ${attempt.answer === "" ? "" : html`<div class="more">${block(attempt.answer, "The beginning of the answer")}</div>`}
  </li>`
}

/** What was just done. */
export function done(sentence: string): Html {
  return note("good", sentence)
}
