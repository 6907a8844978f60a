import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import type { DeliveryOfEvent } from "#contract/delivery.ts"
import { type Event, EventType } from "#contract/event.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { eventNotFound } from "#core/error.ts"
import { DeliveryReport } from "#core/event/delivery-report.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { EventRow } from "#core/event/event-row.ts"
import { Receiver } from "#core/event/receiver.ts"
import { Resend } from "#core/event/resend.ts"
import { retryEvent, skipEvent } from "#core/event/retry-and-skip.ts"
import { numberPage } from "../answer.ts"
import { sentenceForPeople } from "../api-words.ts"
import { namesOf, pathOfChat } from "../conversations/chat-name.ts"
import { codeBlock, confirming, copyable, empty, facts, type Html, note, buttonForm } from "../elements.ts"
import { noticeOf } from "../form.ts"
import type { DashboardEnv } from "../guard.ts"
import { live } from "../live.ts"
import { ago, until } from "../times.ts"
import { pathOfDeliveries, webhookQuery } from "../webhooks/webhook-health.ts"
import { arrivalSteps, endSteps } from "../where/arrival.ts"
import { type Step, steps } from "../where/steps.ts"
import { outcomeWord, whyFailed } from "./attempt-words.ts"
import { eventLine, eventMeanings, jidsOf } from "./event-item.ts"
import { stateMark } from "./event-outcomes.ts"

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
        ["each", { html: atEachCard(c.var.bridge.customerRef, shown) }],
        ["attempts", { html: wayCard(c.var.bridge.customerRef, shown) }],
      ])
    }),
  )
  .post("/numbers/:ref/events/:id/resend", async (c) => {
    const asked = await eventOf(c)
    const webhook = await webhookOf(c)
    if (webhook.receiver.url === "") return await show(c, note("bad", "This number has no webhook."))
    return await show(c, resendNotes[await Resend.ask(webhook, asked.n)])
  })
  .post("/numbers/:ref/events/:id/retry", async (c) => await acted(c, "It is tried now.", retryEvent))
  .post(
    "/numbers/:ref/events/:id/skip",
    async (c) => await acted(c, "It is skipped, and the next event goes out.", skipEvent),
  )

async function eventOf(c: Context<DashboardEnv>): Promise<EventRow.Info> {
  const found = await EventLists.find(c.var.bridge.id, c.req.param("id") ?? "")
  if (!found) throw eventNotFound()
  return found
}

/** The webhook that is asked about: the first, unless another is named. @throws ApiError `not_found` */
async function webhookOf(c: Context<DashboardEnv>): Promise<Delivery.Info> {
  return await Webhook.getAny(c.var.bridge, c.req.query("webhook") ?? "first")
}

/** Acts on the event and says so, or says why not. */
async function acted(
  c: Context<DashboardEnv>,
  sentence: string,
  act: (id: Receiver.Id, asked: EventRow.Info) => Promise<void>,
) {
  const { notice } = await noticeOf(async () => {
    await act(await webhookOf(c), await eventOf(c))
    return note("good", sentence)
  })
  return await show(c, notice)
}

async function show(c: Context<DashboardEnv>, notice?: Html) {
  const ref = c.var.bridge.customerRef
  const shown = await shownOf(c)
  const { delivery } = shown
  const headers = linesOf(delivery.headers)
  const body = html`<nav class="crumbs" aria-label="Back">
      <a href="${pathOfDeliveries(ref, shown.webhookId)}">All deliveries</a> ·
      <a href="/numbers/${ref}/events">All events</a>
    </nav>
    ${notice ?? ""}
    <div
      class="stack"
      data-stream="/numbers/${ref}/events/${delivery.event_id}/stream${webhookQuery(shown.webhookId)}"
    >
      ${stateCard(ref, shown)} ${atEachCard(ref, shown)} ${wayCard(ref, shown)}
    </div>
    <section class="card">
      <h2>What is sent</h2>
      ${headers === "" ? "" : codeBlock(headers, "Headers")} ${codeBlock(readable(delivery.body), "Body")}
    </section>`
  return await numberPage(c, "deliveries", { title: `Event of ${ref}`, body })
}

type Shown = Awaited<ReturnType<typeof shownOf>>

/** The parts that the page shows and its stream renews. */
async function shownOf(c: Context<DashboardEnv>) {
  const { bridge, me } = c.var
  const [found, webhook] = await Promise.all([eventOf(c), webhookOf(c)])
  const [delivery, { head, next_attempt_at }, givenUpAt, deliveryKey] = await Promise.all([
    DeliveryReport.ofEvent(bridge, webhook, found),
    DeliveryReport.summaryOf(webhook),
    EventLists.givenUpAt(webhook, found),
    Bridge.deliveryKeyOf(bridge),
  ])
  const { webhookId, pausedAt } = webhook
  const urls = new Map((await Delivery.ofBridge(bridge.id)).map((one) => [one.webhookId, one.receiver.url]))
  const isFirst = Receiver.isFirst(webhook)
  const state = isFirst ? delivery.state : delivery.webhooks?.find(({ id }) => id === webhookId)?.state
  const isHead = head === found.eventId && state === "pending"
  const hasWebhook = webhook.receiver.url !== ""
  const event = JSON.parse(EventRow.bodyOf(found, deliveryKey).toString()) as Event // as it was written
  return {
    type: found.type,
    isPaused: pausedAt !== undefined,
    urls,
    event,
    nameOf: await namesOf(c, jidsOf(event)),
    givenUpAt,
    delivery,
    webhookId,
    state: state ?? "not_wanted",
    isHead,
    head,
    nextAt: isHead ? next_attempt_at : undefined,
    hasWebhook,
    mayAct: hasWebhook && state !== "not_wanted" && me.mayChange,
  }
}

/** What became of the event at each webhook, if there are several. */
function atEachCard(ref: string, { delivery, webhookId, urls }: Shown): Html {
  const { event_id: id, webhooks = [] } = delivery
  if (webhooks.length === 0) return html`<section id="event-webhooks" hidden></section>`
  return html`<section class="card" id="event-webhooks">
    <h2>At each webhook</h2>
    <ul class="feed">
      ${webhooks.map(
        (one) =>
          html`<li class="line">
            ${stateMark(one.state)}
            <a
              class="about mono"
              href="/numbers/${ref}/events/${id}${webhookQuery(one.id)}"
              ${one.id === webhookId ? "aria-current=true" : ""}
              ><bdi>${urls.get(one.id) || "Kept here"}</bdi></a
            >
          </li>`,
      )}
    </ul>
  </section>`
}

function stateCard(ref: string, shown: Shown): Html {
  const { type, delivery, mayAct, state, event, nameOf } = shown
  return html`<section class="card" id="event-state">
    <div class="row spread">
      <div class="row">
        <h2>${titleOf(type, delivery.body)}</h2>
        <a class="tag" href="/numbers/${ref}/events?type=${type}">${type}</a>
        ${stateMark(state)}
      </div>
      ${mayAct ? html`<div class="row">${actions(ref, shown)}</div>` : ""}
    </div>
    <p>${eventLine(event, nameOf)}</p>
    <p>${whyItStands(shown)}</p>
    ${
      mayAct && shown.isHead
        ? html`<p class="small muted">
            “Try it now” makes it at once. It counts as one of the five, and later events still wait for it.
          </p>`
        : ""
    }
    ${facts([
      ["Event", copyable(delivery.event_id)],
      ["Time", ago(delivery.created_at * 1000)],
    ])}
    ${"chat_id" in event ? html`<div class="row"><a class="button" href="${pathOfChat(ref, event.chat_id)}">Open the chat</a></div>` : ""}
  </section>`
}

/** The title of an event: what has happened. */
function titleOf(type: string, body: string): string {
  const { data } = EventType.safeParse(type)
  if (data === undefined) return "A test event"
  const status = /"status":"(\w+)"/.exec(body)?.[1] ?? ""
  const became = data === "message_status" ? becameOf.get(status) : undefined
  return became ?? sentenceForPeople(eventMeanings[data]).replace(/\.$/, "")
}

/** The titles of `message_status` events, by their status. */
const becameOf = new Map([
  ["sent", "A message was sent"],
  ["delivered", "A sent message was delivered"],
  ["read", "A sent message was read"],
  ["played", "A sent message was played"],
  ["failed", "A sent message failed"],
])

/** What became of the event, why, and what comes next. */
function whyItStands({ state, delivery: { attempts }, isHead, isPaused, nextAt }: Shown): Html | string {
  const last = attempts.findLast(({ resend }) => !resend)
  switch (state) {
    case "not_wanted":
      return "This webhook was not to get it: it chose other events, or was added later."
    case "inbox":
      return "It is kept here: the number had no webhook of its own."
    case "delivered":
      return "The webhook took it."
    case "pending":
      if (isPaused) return "This webhook is paused. It is sent once the webhook goes on."
      if (!isHead) return "Earlier events are still waiting. This one is sent after them."
      if (nextAt !== undefined) return html`The next attempt is in ${until(nextAt * 1000)}.`
      return attempts.length === 0 ? "It is sent now." : "The next attempt is due."
    case "undelivered":
      if (last?.error === "client_error")
        return `Undelivered, at the first attempt: the webhook did not take it, and answered with status ${last.status_code}. A 4xx says that the request itself is wrong, so it is not tried again by itself. Mend your program, then send it again.`
      if (last?.error === "redirect")
        return `Undelivered, at the first attempt: the webhook answered with status ${last.status_code}, and redirects are not followed. Correct its address, then send it again.`
      if (attempts.length >= 5)
        return "Undelivered after five attempts. Mend your program, then send it again."
      if (attempts.length === 0)
        return "Undelivered. What was tried is not kept any more. It can be sent again."
      return "Undelivered: it was skipped by hand, or had waited for 30 days. It can be sent again."
  }
}

/** The way of the event: from the network to the customer's program, as far as it came. */
function wayCard(ref: string, shown: Shown): Html {
  const { event, delivery, hasWebhook, state, givenUpAt, isHead, head, webhookId } = shown
  const why = hasWebhook ? "No attempt is kept any more." : "It was not sent: there is no webhook."
  const behind =
    isHead || head === undefined ? undefined : `/numbers/${ref}/events/${head}${webhookQuery(webhookId)}`
  const arrived = { ref, event, createdAt: delivery.created_at, state, behind }
  return html`<section class="card flush" id="event-attempts">
    <header>
      <h2>From the network to your program</h2>
      <p>Attempts are kept: failures for 7 days, and the number's latest 200.</p>
    </header>
    ${steps([...arrivalSteps(arrived), ...delivery.attempts.map(attemptStep), ...endSteps(arrived, givenUpAt)])}
    ${delivery.attempts.length > 0 ? "" : empty({ about: state === "pending" ? "Not tried yet." : why })}
  </section>`
}

function linesOf(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n")
}

function actions(ref: string, { delivery, isHead, head, state, webhookId }: Shown): Html {
  const at = `/numbers/${ref}/events/${delivery.event_id}`
  const ofWebhook = webhookQuery(webhookId)
  if (state !== "pending")
    return buttonForm({ action: `${at}/resend${ofWebhook}`, label: "Send it again", kind: "main" })
  if (!isHead)
    return head === undefined
      ? html``
      : html`<a href="/numbers/${ref}/events/${head}${ofWebhook}">See the event that holds it up</a>`
  return html`${buttonForm({ action: `${at}/retry${ofWebhook}`, label: "Try it now", kind: "main" })}
  ${confirming({
    label: "Skip it",
    about: "The next event goes out at once. This one is kept for 30 days, and can be sent again.",
    act: buttonForm({ action: `${at}/skip${ofWebhook}`, label: "Skip this event", kind: "danger" }),
    kind: "danger",
  })}`
}

function attemptStep(attempt: DeliveryOfEvent["attempts"][number]): Step {
  const { success, latency_ms, answer_headers, answer, url } = attempt
  return {
    atMs: Date.parse(attempt.timestamp),
    tone: success ? "good" : "bad",
    word: `Attempt ${attempt.attempt}${attempt.resend ? ", sent again" : ""}: ${outcomeWord(attempt)}`,
    about: html`<p>${success ? "" : `${whyFailed(attempt)}. `}After ${latency_ms} ms.</p>
      ${url === "" ? "" : html`<p class="small mono muted">${url}</p>`}
      ${Object.keys(answer_headers).length === 0 ? "" : codeBlock(linesOf(answer_headers), "The headers of the answer")}
      ${answer === "" ? "" : codeBlock(readable(answer), "The beginning of the answer")}`,
  }
}

/** JSON over several lines: only its spaces differ. Anything else, and JSON that is cut, stays as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}
