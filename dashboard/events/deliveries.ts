import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import type { Event } from "#contract/event.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { ApiError } from "#core/error.ts"
import { AttemptLog } from "#core/event/attempt-log.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventFeed } from "#core/event/event-feed.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { Receiver } from "#core/event/receiver.ts"
import { Resend } from "#core/event/resend.ts"
import { sendTest } from "#functions/stream/webhook-test.ts"
import { numberPage, toQuery } from "../answer.ts"
import { type NameOf, namesOf } from "../conversations/chat-name.ts"
import { copyButton, empty, facts, type Html, note, buttonForm } from "../elements.ts"
import { noticeOf } from "../form.ts"
import { msOf, spanForm, spanIn } from "../from-to.ts"
import type { DashboardEnv } from "../guard.ts"
import { live, type Piece } from "../live.ts"
import { whoIsTold } from "../people/alerts.ts"
import { ago } from "../times.ts"
import { recovery } from "../webhooks/healing.ts"
import {
  pathOfWebhook,
  pathOfDeliveries,
  aboutRetries,
  isFailing,
  receiverLine,
  receivingAt,
  webhookQuery,
} from "../webhooks/webhook-health.ts"
import { aboutTest, outcome, testWords } from "./attempt-words.ts"
import { AskedAttempts, attemptsCard, attemptsList, typeTag, type EventWords } from "./attempts.ts"
import { eventLine, jidsOf } from "./event-item.ts"

const lookEachMs = 2000
const givenUpEachMs = 15_000
/** How many of the events that were given up are shown. */
const mostGivenUp = 20

/** How a number's events get to their receiver: what waits, what was tried, what was given up. */
export const deliveries = new Hono<DashboardEnv>()
  .get("/numbers/:ref/deliveries", async (c) => await show(c))
  .get("/numbers/:ref/deliveries/stream", (c) => live(c, lookEachMs, follower(c)))
  .post("/numbers/:ref/deliveries/test", async (c) => {
    const webhook = await webhookOf(c)
    if (webhook.receiver.url === "") return await show(c)
    return await show(c, testWords(await sendTest(webhook)))
  })
  .post("/numbers/:ref/deliveries/resend", async (c) => {
    const webhook = await webhookOf(c)
    if (webhook.receiver.url === "") return await show(c)
    const { notice } = await noticeOf(async () => {
      const asked = await Resend.askSpan(webhook, await spanIn(c))
      if (asked === "full")
        return note(
          "bad",
          "Too many requests wait already. Try again when some of these events have been sent.",
        )
      const { count, more } = asked
      if (count === 0) return note("info", "Nothing is undelivered from that time.")
      const rest = more === undefined ? "" : " There is more: ask again when these have been sent."
      return note("good", `${count === 1 ? "One event is" : `${count} events are`} sent again.${rest}`)
    })
    return await show(c, notice)
  })

async function show(c: Context<DashboardEnv>, notice?: Html) {
  const { bridge } = c.var
  const ref = bridge.customerRef
  const webhook = await webhookOf(c)
  const [shown, givenUp, all] = await Promise.all([
    shownOf(c),
    givenUpOf(c, webhook),
    Delivery.ofBridge(bridge.id),
  ])
  const lists = html`${notice ?? ""}
    <div class="stack" data-stream="/numbers/${ref}/deliveries/stream?${toQuery(askedOf(c))}">
      ${headCard(shown)} ${givenUpCard(shown, givenUp)} ${attemptsCard(shown)}
    </div>`
  const body = html`${whichOf(ref, webhook, all)} ${webhook.receiver.url === "" ? noWebhook(ref) : lists}`
  return await numberPage(c, "deliveries", { title: `Deliveries of ${ref}`, body, without: "webhooks" })
}

/** The webhook that is asked about: the first, unless another is named. @throws ApiError `not_found` */
async function webhookOf(c: Context<DashboardEnv>): Promise<Delivery.Info> {
  return await Webhook.getAny(c.var.bridge, askedOf(c).webhook ?? "first")
}

/** Leads to the deliveries of a number's other webhooks, if it has several. */
function whichOf(ref: string, shown: Delivery.Info, all: Delivery.Info[]): Html | string {
  if (all.length === 1) return ""
  return html`<nav aria-label="Webhooks">
    <ul class="tabs">
      ${all.map(
        ({ webhookId, receiver, failingSince, pausedAt }) =>
          html`<li>
            <a
              href="${pathOfDeliveries(ref, webhookId)}"
              ${webhookId === shown.webhookId ? "aria-current=page" : ""}
              ><bdi>${receiver.url === "" ? "No webhook" : receiver.url}</bdi>
              ${pausedAt !== undefined ? html`<span class="state warn">paused</span>` : failingSince === undefined ? "" : html`<span class="state bad">failing</span>`}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`
}

/**
 * Looks at the receiver each time, and at the events that were given up when their list has changed, and now
 * and then.
 */
function follower(c: Context<DashboardEnv>) {
  let givenUp: GivenUp | undefined
  let listed = ""
  let readAtMs = -Infinity
  const words: EventWords = new Map()
  return async (): Promise<Map<string, Piece>> => {
    const webhook = await webhookOf(c)
    const pointers = await EventLists.newestNumbersOnList(webhook, "undelivered", mostGivenUp + 1)
    if (pointers.join(" ") !== listed || performance.now() - readAtMs >= givenUpEachMs) {
      listed = pointers.join(" ")
      readAtMs = performance.now()
      givenUp = (await givenUpOf(c, webhook).catch(unlessTidied)) ?? givenUp
    }
    const shown = await shownOf(c, words)
    const pieces = new Map<string, Piece>([["head", { html: headCard(shown) }]])
    if (givenUp) pieces.set("given-up", { html: givenUpCard(shown, givenUp) })
    return pieces.set("attempts", { html: attemptsList(shown) })
  }
}

/**
 * A list of events that is being tidied up cannot be read now: the page keeps what it shows until the next
 * look.
 */
function unlessTidied(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.code !== "session_unavailable") throw error
}

type Shown = Awaited<ReturnType<typeof shownOf>>

function askedOf(c: Context<DashboardEnv>): AskedAttempts {
  return AskedAttempts.parse(c.req.query())
}

const perPage = 50

/**
 * The parts that the page shows and its stream renews.
 * @param known the events that were read before; those that are read now are added
 */
async function shownOf(c: Context<DashboardEnv>, known: EventWords = new Map()) {
  const { bridge, me } = c.var
  const asked = askedOf(c)
  const webhook = await webhookOf(c)
  const all = await AttemptLog.latestDetailed(webhook)
  const receiving = await receivingAt(
    webhook,
    all.map(({ attempt }) => attempt),
  )
  const { outcome: wanted, page: nth = 1 } = asked
  const { sinceMs = 0, untilMs = Infinity } = msOf(asked)
  const fitting = all.filter(
    ({ attempt: { success, timestamp }, isResend }) =>
      Date.parse(timestamp) >= sinceMs &&
      Date.parse(timestamp) < untilMs &&
      (wanted === undefined || (wanted === "resent" ? isResend : success === (wanted === "taken"))),
  )
  const attempts = fitting.slice((nth - 1) * perPage, nth * perPage)
  const ids = [
    ...attempts.map(({ attempt }) => attempt.event_id),
    ...(receiving.headId ? [receiving.headId] : []),
  ]
  const events = await EventFeed.byIds(
    bridge,
    ids.filter((id) => !known.has(id)),
  )
  const nameOf = await namesOf(c, [...events.values()].flatMap(jidsOf))
  for (const [id, one] of events) known.set(id, wordsOf(one, id, nameOf))
  const hasMore = fitting.length > nth * perPage
  const { mayChange } = me
  const told = isFailing(receiving) ? html`${aboutRetries} ${await whoIsTold(c)}` : ""
  // The ring is newest first.
  const last = new Map(all.toReversed().map(({ attempt }) => [attempt.event_id, attempt]))
  const recovered = recovery(webhook)
  return {
    ref: bridge.customerRef,
    receiving,
    told,
    recovered,
    attempts,
    last,
    asked,
    hasMore,
    words: known,
    mayChange,
  }
}

type GivenUp = Awaited<ReturnType<typeof givenUpOf>>

/** The events that were given up, newest first, and whether there are more. */
async function givenUpOf(c: Context<DashboardEnv>, webhook: Delivery.Info) {
  const asked = {
    state: "undelivered",
    isNewestFirst: true,
    limit: mostGivenUp,
    ...(!Receiver.isFirst(webhook) && { webhook }),
  } as const
  const { events: undelivered, next } = await EventFeed.page(c.var.bridge, asked)
  const nameOf = await namesOf(
    c,
    undelivered.flatMap(({ event }) => jidsOf(event)),
  )
  return { undelivered, nameOf, hasMore: next !== undefined, heals: webhook.heals }
}

function noWebhook(ref: string): Html {
  return empty({
    isCard: true,
    icon: "send",
    title: "Nothing is delivered",
    about: "This number has no webhook: its events stay here for 30 days.",
    action: html`<div class="row">
      <a class="button main" href="/numbers/${ref}/webhooks">Give it a webhook</a>
      <a class="button" href="/numbers/${ref}/events">See its events</a>
    </div>`,
  })
}

/** The waiting events and the state of the receiver. */
function headCard({ ref, receiving, told, recovered, words, mayChange }: Shown): Html {
  const { headId } = receiving
  const at = webhookQuery(receiving.webhookId)
  const change = mayChange
    ? html`<a href="${pathOfWebhook(ref, receiving.webhookId)}">Change the webhook</a>`
    : ""
  const next =
    headId === undefined
      ? undefined
      : html`<a href="/numbers/${ref}/events/${headId}${at}">${words.get(headId) ?? headId}</a>
          ${copyButton(headId)}`
  return html`<section class="card" id="delivery-head" aria-label="The webhook">
    <div class="row spread">
      <div>${receiverLine(ref, receiving)}</div>
      ${
        mayChange
          ? html`<div class="row">
              ${headId === undefined ? "" : buttonForm({ action: `/numbers/${ref}/events/${headId}/retry${at}`, label: "Try it now", kind: "main" })}
              ${buttonForm({ action: `/numbers/${ref}/deliveries/test${at}`, label: "Send a test event" })}
            </div>`
          : ""
      }
    </div>
    ${
      mayChange
        ? html`<p class="small muted">
            ${headId === undefined ? "" : "“Try it now” makes the next attempt at the event that all others wait for: their order stays."}
            ${aboutTest}
          </p>`
        : ""
    }
    ${told} ${recovered}
    ${facts([
      ["Webhook", html`<span class="mono">${receiving.url}</span> ${change}`],
      ["Next event", next],
    ])}
  </section>`
}

function givenUpCard(
  { ref, mayChange, receiving, last }: Shown,
  { undelivered, nameOf, hasMore, heals }: GivenUp,
): Html {
  if (undelivered.length === 0) return html`<section id="given-up" hidden></section>`
  const ids = undelivered.map((stored) => stored.event_id)
  const at = webhookQuery(receiving.webhookId)
  return html`<section class="card flush" id="given-up" data-keep="${ids.join(" ")} ${hasMore}">
    <header>
      <h2>Undelivered: ${undelivered.length}${hasMore ? " and more" : ""}</h2>
      <p>
        Each failed five times, was skipped, or got an answer that ends it at once.
        ${heals ? "What was given up while the webhook failed is sent again by itself, once it answers." : "None is tried again by itself."}
        Sent again, they come after newer events.
      </p>
      ${mayChange ? spanForm(`/numbers/${ref}/deliveries/resend${at}`, "Send them again") : ""}
    </header>
    <ul class="feed">
      ${undelivered.map(
        (stored) =>
          html`<li class="line">
            ${typeTag(stored.event.event)}
            <a class="about" href="/numbers/${ref}/events/${stored.event_id}${at}"
              >${wordsOf(stored.event, stored.event_id, nameOf)}</a
            >
            <span class="row">
              ${last.has(stored.event_id) ? outcome(last.get(stored.event_id)!) : ""}
              <span class="small muted">${ago(stored.created_at * 1000)}</span>
              ${copyButton(stored.event_id)}
            </span>
          </li>`,
      )}
    </ul>
  </section>`
}

/** What an event says, in one line; its id if it says nothing. */
function wordsOf(event: Event, id: string, nameOf: NameOf): Html | string {
  return eventLine(event, nameOf) || html`<span class="mono">${id.slice(0, 20)}…</span>`
}
