import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { Choice } from "#core/bridge/choice.ts"
import { knownStateOf, isLinked } from "#core/bridge/known-state.ts"
import { restart } from "#core/bridge/restart.ts"
import { Came } from "#core/event/came.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventFeed } from "#core/event/event-feed.ts"
import { Receiver } from "#core/event/receiver.ts"
import { Usage } from "#core/event/usage.ts"
import { Lease } from "#core/lease/lease.ts"
import { numberPage } from "../answer.ts"
import { barsByHour } from "../bars.ts"
import { namesOf } from "../conversations/chat-name.ts"
import { copyable, facts, type Html, note, buttonForm } from "../elements.ts"
import { eventLine, jidsOf } from "../events/event-item.ts"
import type { DashboardEnv } from "../guard.ts"
import { live } from "../live.ts"
import { whoIsTold } from "../people/alerts.ts"
import { age, ago } from "../times.ts"
import {
  pathOfWebhook,
  failingWebhook,
  aboutRetries,
  isFailing,
  mostCounted,
  receiverLine,
  receivingOf,
} from "../webhooks/webhook-health.ts"
import { newChatsLine, failedSendsToday } from "./count-failed-sends.ts"
import { lookEachMs } from "./numbers.ts"
import { stateLine, inWords, phoneOf, pathOfAction } from "./state-words.ts"

/** The overview of one number: how it stands, by whose word, and what to do about it. */
export const number = new Hono<DashboardEnv>()
  .get("/numbers/:ref", async (c) => {
    const { bridge } = c.var
    const shown = await shownOf(c)
    const body = html`<div class="columns" data-stream="/numbers/${bridge.customerRef}/stream">
      ${stateCard(shown)} ${receiverCard(shown)} ${todayCard(shown)}
      <section class="card">
        <h2>For the API</h2>
        ${facts([
          ["customer_ref", copyable(bridge.customerRef)],
          ["Created", ago(bridge.createdMs)],
        ])}
        <details class="plain small">
          <summary>Id</summary>
          ${copyable(bridge.id)}
        </details>
      </section>
    </div>`
    return await numberPage(c, "overview", { title: bridge.customerRef, body, without: "session" })
  })
  .get("/numbers/:ref/stream", (c) =>
    live(c, lookEachMs, async () => {
      const shown = await shownOf(c)
      return new Map([
        ["state", { html: stateCard(shown) }],
        ["receiver", { html: receiverCard(shown) }],
        ["today", { html: todayCard(shown) }],
      ])
    }),
  )
  .post("/numbers/:ref/restart", async (c) => {
    await restart(c.var.bridge.id, c.var.requestId)
    return c.redirect(`/numbers/${c.var.bridge.customerRef}/connect`, 303)
  })

type Shown = Awaited<ReturnType<typeof shownOf>>

/** The parts that the page shows and its stream renews. */
async function shownOf(c: Context<DashboardEnv>) {
  const { bridge, me } = c.var
  const [knownState, receiving, lease, delivery, messages, failedSends] = await Promise.all([
    knownStateOf(bridge),
    receivingOf(bridge),
    Lease.get(bridge.id),
    Delivery.get(Receiver.first(bridge.id)),
    EventFeed.page(bridge, { types: ["message"], direction: "in", isNewestFirst: true, limit: 1 }),
    failedSendsToday(bridge.accountId),
  ])
  const today = delivery?.today?.day === Usage.today() ? delivery.today : undefined
  const came = delivery && (await Came.today([delivery])).get(bridge.id)?.hours
  const isOff = lease !== undefined && Choice.wire(lease.choice).events.length === 0
  const [last] = messages.events
  const nameOf = await namesOf(c, last ? jidsOf(last.event) : [])
  const told = isFailing(receiving) ? html`${aboutRetries} ${await whoIsTold(c)}` : ""
  return {
    told,
    ref: bridge.customerRef,
    knownState,
    failedSends: failedSends.get(bridge.customerRef),
    receiving,
    isOff,
    today,
    came: came ?? [],
    nameOf,
    hasSeveral: (delivery?.further.length ?? 0) > 0,
    last,
    mayChange: me.mayChange,
  }
}

/** The session's state. */
function stateCard({ ref, knownState, failedSends, mayChange }: Shown): Html {
  const { action } = inWords(knownState)
  const said = knownState.kind === "said" ? knownState : undefined
  const phone = phoneOf(knownState)
  const sinceMs = said?.status === "connected" ? said.sinceMs : undefined
  return html`<section class="card" id="state-card">
    <h2>WhatsApp</h2>
    ${stateLine(knownState)} ${newChatsLine(ref, failedSends)}
    ${
      phone !== ""
        ? facts([
            ["Connected for", sinceMs === undefined ? undefined : age(sinceMs)],
            [isLinked(knownState) || !said ? "Phone" : "Last phone", copyable(phone)],
            ["Name", said?.name || undefined],
          ])
        : ""
    }
    ${!mayChange ? "" : actionOf(ref, action)}
    ${isLinked(knownState) && !action ? html`<div class="row"><a class="button" href="/numbers/${ref}/chats">Open its chats</a></div>` : ""}
  </section>`
}

function actionOf(ref: string, action: ReturnType<typeof inWords>["action"]): Html | string {
  if (!action) return ""
  if (action.to === "take-back")
    return buttonForm({ action: `/numbers/${ref}/restart`, label: action.label, kind: "main" })
  return html`<div class="row">
    <a class="button main" href="${pathOfAction(`/numbers/${ref}`, action.to)}">${action.label}</a>
  </div>`
}

/** What today brought (UTC), and the message that came last. */
function todayCard({ ref, today, came, hasSeveral, last, nameOf, receiving }: Shown): Html {
  const hasWebhook = receiving.url !== ""
  const { failed = 0, attempts = 0 } = today ?? {}
  const ofFirst = hasSeveral ? " (first webhook)" : ""
  const undelivered = [...receiving.undelivered.values()].reduce((all, count) => all + count, 0)
  return html`<section class="card" id="today-card">
    <header>
      <h2>Today</h2>
      <p>Since midnight UTC.</p>
    </header>
    ${barsByHour(came)}
    ${facts([
      ["Messages received", came.reduce((all, count) => all + count, 0)],
      [`Events delivered or kept${ofFirst}`, hasWebhook ? (today?.delivered ?? 0) : undefined],
      [`Attempts that failed${ofFirst}`, hasWebhook ? `${failed} of ${attempts}` : undefined],
      ["95 % of attempts took at most", today && attempts > 0 ? `${Usage.p95Of(today)} ms` : undefined],
      [`Not delivered yet${ofFirst}`, hasWebhook ? receiving.waiting : undefined],
      ["Undelivered, of 30 days", undelivered >= mostCounted ? `${undelivered} or more` : undelivered],
    ])}
    <p class="small">
      Last message received:
      ${
        last === undefined
          ? "none is kept."
          : html`<a href="/numbers/${ref}/events/${last.event_id}">${eventLine(last.event, nameOf)}</a>
              <span class="muted">${ago(last.created_at * 1000)}</span>`
      }
    </p>
    <div class="row"><a class="button" href="/usage?number=${ref}">Usage by day</a></div>
  </section>`
}

/** How events get through. */
function receiverCard({ ref, receiving, isOff, told, mayChange }: Shown): Html {
  const failing = failingWebhook(receiving)
  return html`<section class="card" id="receiver-card">
    <h2>Webhook</h2>
    <div>${receiverLine(ref, receiving)}</div>
    ${told}
    ${isOff ? note("warn", "All types of events are switched off: what happens is not delivered, and kept nowhere.") : ""}
    ${
      receiving.url === ""
        ? note(
            "info",
            html`They are kept for 30 days.
            ${mayChange ? html`<a href="/numbers/${ref}/webhooks">Add a webhook</a>` : ""}`,
          )
        : html`<p class="mono">${receiving.url}</p>
            <div class="row">
              ${failing !== undefined && mayChange ? html`<a class="button main" href="${pathOfWebhook(ref, failing)}">Change the webhook</a>` : ""}
              ${receiving.failingSinceMs === undefined || receiving.headId === undefined || !mayChange ? "" : buttonForm({ action: `/numbers/${ref}/events/${receiving.headId}/retry`, label: "Try it now" })}
              <a class="button" href="/numbers/${ref}/deliveries">Deliveries</a>
            </div>`
    }
  </section>`
}
