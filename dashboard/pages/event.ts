import { html } from "hono/html"
import type { DeliveryOfEvent } from "#core/contract/delivery.ts"
import { stateWords } from "../numbers/event-item.ts"
import { block, copyable, type Html, press, time } from "../elements.ts"
import { numberHead } from "../layout.ts"
import { outcome, whyOf } from "../numbers/receiver.ts"

interface Shown {
  ref: string
  isSandbox: boolean
  type: string
  delivery: DeliveryOfEvent
  /** It is this event's turn. */
  isHead: boolean
  hasWebhook: boolean
  mayChange: boolean
  told?: Html | string | undefined
}

/** One event: what became of it, what was sent, and what each attempt met with. */
export function eventPage(input: Shown): Html {
  const { ref, delivery } = input
  const headers = Object.entries(delivery.headers).map(([name, value]) => `${name}: ${value}`)
  return html`${numberHead({ ref, isSandbox: input.isSandbox, tab: "deliveries" })} ${input.told ?? ""}
    <section class="card">
      <div class="row spread">
        <h2>
          <a class="tag" href="/numbers/${ref}/events?type=${input.type}">${input.type}</a>
          ${stateWords.get(delivery.state) ?? delivery.state}
        </h2>
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
          : html`<ol class="timeline">
              ${delivery.attempts.map(attemptItem)}
            </ol>`
      }
    </section>
    <section class="card">
      <h2>What is sent</h2>
      ${headers.length === 0 ? "" : block(headers.join("\n"), "Headers")}
      ${block(readable(delivery.body), "Body")}
    </section>`
}

function actions({ ref, delivery, isHead }: Shown): Html {
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
    <div class="row spread">
      <span class="row"
        >${outcome(attempt)} Attempt ${attempt.attempt}${attempt.resend ? ", sent again" : ""}
        <span class="muted">after ${attempt.latency_ms} ms</span></span
      >
      <span class="small muted">${time(Date.parse(attempt.timestamp))}</span>
    </div>
    ${attempt.success ? "" : html`<p>${whyOf(attempt)}.</p>`}
    ${attempt.url === "" ? "" : html`<p class="small mono muted">${attempt.url}</p>`}
    ${attempt.answer === "" ? "" : block(attempt.answer, "The beginning of the answer")}
  </li>`
}

/** The body over several lines. Only its spaces differ from what is sent. */
function readable(body: string): string {
  return JSON.stringify(JSON.parse(body), undefined, 2)
}
