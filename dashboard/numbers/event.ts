import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import type { DeliveryOfEvent } from "#core/contract/delivery.ts"
import { ApiError, eventNotFound } from "#core/error.ts"
import { DeliveryReport } from "#core/event/delivery-report.ts"
import { EventIndex } from "#core/event/event-index.ts"
import type { EventRow } from "#core/event/event-row.ts"
import { Resend } from "#core/event/resend.ts"
import { retryEvent, skipEvent } from "#core/event/retry-and-skip.ts"
import { Receiver } from "#core/event/receiver.ts"
import { page, sentenceCase } from "../answer.ts"
import { block, copyable, type Html, note, press, time } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"
import { numberHead } from "../layout.ts"
import { stateWords } from "./event-item.ts"
import { outcome, whyOf } from "./receiver.ts"

const resendNotes = {
  noted: note("good", "Queued for resending, with the same id."),
  waits: note("good", "It waits for its turn already."),
  full: note("bad", "A hundred events wait to be sent again: try later."),
}

/** One event: what became of it, what was sent, and what each attempt met with. */
export const event = new Hono<DashboardEnv>()
  .get("/numbers/:ref/events/:id", async (c) => await show(c))
  .post("/numbers/:ref/events/:id/resend", async (c) => {
    const asked = await eventOf(c)
    if (c.var.bridge.webhookUrl === "") return await show(c, note("bad", "This number has no webhook."))
    return await show(c, resendNotes[await Resend.ask(Receiver.first(asked.bridgeId), asked.n)])
  })
  .post("/numbers/:ref/events/:id/retry", async (c) => await acted(c, "It is tried now.", retryEvent))
  .post(
    "/numbers/:ref/events/:id/skip",
    async (c) =>
      await acted(c, "It is given up, and the next event goes out.", (id, asked) => skipEvent(id, asked)),
  )

async function eventOf(c: Context<DashboardEnv>): Promise<EventRow.Info> {
  const found = await EventIndex.find(c.var.bridge.id, c.req.param("id") ?? "")
  if (!found) throw eventNotFound()
  return found
}

/** Does it and says so, or says why not. */
async function acted(
  c: Context<DashboardEnv>,
  sentence: string,
  act: (id: Receiver.Id, asked: EventRow.Info) => Promise<void>,
) {
  try {
    await act(Receiver.first(c.var.bridge.id), await eventOf(c))
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "not_found") throw error
    return await show(c, note("bad", sentenceCase(error.message)))
  }
  return await show(c, note("good", sentence))
}

async function show(c: Context<DashboardEnv>, notice?: Html) {
  const { bridge, me } = c.var
  const found = await eventOf(c)
  const [delivery, { head }] = await Promise.all([
    DeliveryReport.ofEvent(bridge, Receiver.first(bridge.id), found),
    DeliveryReport.summary(Receiver.first(bridge.id)),
  ])
  const ref = bridge.customerRef
  const hasWebhook = bridge.webhookUrl !== ""
  const mayAct = hasWebhook && me.role !== "viewer"
  const headers = Object.entries(delivery.headers).map(([name, value]) => `${name}: ${value}`)
  const body = html`${numberHead(bridge, "deliveries")} ${notice ?? ""}
    <section class="card">
      <div class="row spread">
        <h2>
          <a class="tag" href="/numbers/${ref}/events?type=${found.type}">${found.type}</a>
          ${stateWords.get(delivery.state) ?? delivery.state}
        </h2>
        ${mayAct ? html`<div class="row">${actions(ref, delivery, head === found.eventId)}</div>` : ""}
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
              <p>${hasWebhook ? "None is known." : "It was not sent: there is no webhook."}</p>
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
  return await page(c, { title: `Event of ${ref}`, place: "numbers", body })
}

/** `isHead`: it is this event's turn. */
function actions(ref: string, delivery: DeliveryOfEvent, isHead: boolean): Html {
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
