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
import { block, copyable, type Html, note, press, time, until } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"
import { numberHead } from "../layout.ts"
import { live } from "../live.ts"
import { outcomeMark } from "./event-outcomes.ts"
import { outcome, whyOf } from "./receiver.ts"

const lookEachMs = 2000

const resendNotes = {
  noted: note("good", "Queued for resending, with the same id."),
  waits: note("good", "It waits for its turn already."),
  full: note("bad", "A hundred events wait to be sent again: try later."),
}

/** One event: what became of it, what was sent, and what each attempt met with. */
export const event = new Hono<DashboardEnv>()
  .get("/numbers/:ref/events/:id", async (c) => await show(c))
  .get("/numbers/:ref/events/:id/stream", (c) =>
    live(c, lookEachMs, async () => {
      const shown = await shownOf(c)
      return new Map([
        ["state", { html: stateCard(c.var.bridge.customerRef, shown) }],
        ["attempts", { html: attemptsCard(shown) }],
      ])
    }),
  )
  .post("/numbers/:ref/events/:id/resend", async (c) => {
    const asked = await eventOf(c)
    if (c.var.bridge.webhookUrl === "") return await show(c, note("bad", "This number has no webhook."))
    return await show(c, resendNotes[await Resend.ask(Receiver.first(asked.bridgeId), asked.n)])
  })
  .post("/numbers/:ref/events/:id/retry", async (c) => await acted(c, "It is tried now.", retryEvent))
  .post(
    "/numbers/:ref/events/:id/skip",
    async (c) =>
      await acted(c, "It is skipped, and the next event goes out.", (id, asked) => skipEvent(id, asked)),
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
  const { bridge } = c.var
  const shown = await shownOf(c)
  const { delivery } = shown
  const ref = bridge.customerRef
  const headers = linesOf(delivery.headers)
  const body = html`${numberHead(bridge, "deliveries")} ${notice ?? ""}
    <div class="stack" data-stream="/numbers/${ref}/events/${delivery.event_id}/stream">
      ${stateCard(ref, shown)} ${attemptsCard(shown)}
    </div>
    <section class="card">
      <h2>What is sent</h2>
      ${headers === "" ? "" : block(headers, "Headers")} ${block(readable(delivery.body), "Body")}
    </section>`
  return await page(c, { title: `Event of ${ref}`, place: "numbers", body })
}

type Shown = Awaited<ReturnType<typeof shownOf>>

/** The parts that the page shows and its stream renews. */
async function shownOf(c: Context<DashboardEnv>) {
  const { bridge, me } = c.var
  const found = await eventOf(c)
  const [delivery, { head, next_attempt_at }] = await Promise.all([
    DeliveryReport.ofEvent(bridge, Receiver.first(bridge.id), found),
    DeliveryReport.summary(Receiver.first(bridge.id)),
  ])
  const isHead = head === found.eventId
  const hasWebhook = bridge.webhookUrl !== ""
  const mayAct = hasWebhook && me.role !== "viewer"
  return {
    type: found.type,
    delivery,
    isHead,
    nextAt: isHead ? next_attempt_at : undefined,
    hasWebhook,
    mayAct,
  }
}

function stateCard(ref: string, { type, delivery, isHead, nextAt, mayAct }: Shown): Html {
  return html`<section class="card" id="event-state">
    <div class="row spread">
      <h2>
        <a class="tag" href="/numbers/${ref}/events?type=${type}">${type}</a>
        ${outcomeMark(delivery.event_id, delivery.state)}
      </h2>
      ${mayAct ? html`<div class="row">${actions(ref, delivery, isHead)}</div>` : ""}
    </div>
    <p>${whyItStands(delivery, isHead, nextAt)}</p>
    <dl class="facts">
      <dt>Event</dt>
      <dd>${copyable(delivery.event_id)}</dd>
      <dt>Came</dt>
      <dd>${time(delivery.created_at * 1000)}</dd>
    </dl>
  </section>`
}

/** What became of it, why, and what comes. `nextAt`: Unix seconds. */
function whyItStands(
  { state, attempts }: DeliveryOfEvent,
  isHead: boolean,
  nextAt: number | undefined,
): Html | string {
  const last = attempts.findLast(({ resend }) => !resend)
  switch (state) {
    case "inbox":
      return "It is in the inbox here: there was no webhook for it."
    case "delivered":
      return "The webhook took it."
    case "pending":
      if (!isHead) return "Events before it wait: it is sent when those are delivered or left undelivered."
      if (nextAt !== undefined) return html`The next attempt is in ${until(nextAt * 1000)}.`
      return attempts.length === 0 ? "It is sent now." : "The next attempt is due."
    case "undelivered":
      if (last?.error === "client_error")
        return `Undelivered, at the first attempt: the webhook refused it with status ${last.status_code}. A 4xx says that the request itself is wrong, so it is not tried again by itself. Mend your program, then send it again.`
      if (last?.error === "redirect")
        return `Undelivered, at the first attempt: the webhook answered with status ${last.status_code}, and redirects are not followed. Correct the address in the settings, then send it again.`
      if (attempts.length >= 5)
        return "Undelivered after five attempts. Mend your program, then send it again."
      return "Undelivered: it was skipped by hand, or had waited for 30 days. It can be sent again."
  }
}

function attemptsCard({ delivery, hasWebhook }: Shown): Html {
  return html`<section class="card flush" id="event-attempts">
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
  </section>`
}

function linesOf(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n")
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
    ${Object.keys(attempt.answer_headers).length === 0 ? "" : block(linesOf(attempt.answer_headers), "The headers of the answer")}
    ${attempt.answer === "" ? "" : block(readable(attempt.answer), "The beginning of the answer")}
  </li>`
}

/** JSON over several lines: only its spaces differ. Anything else, and JSON that is cut, stays as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}
