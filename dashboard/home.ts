import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import type { StoredEvent } from "#contract/stored-event.ts"
import { KeptOverview } from "#core/account/kept-overview.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { type KnownState, knownStateWithin } from "#core/bridge/known-state.ts"
import { EventFeed } from "#core/event/event-feed.ts"
import { Lease } from "#core/lease/lease.ts"
import { headedPage } from "./answer.ts"
import { barsByHour } from "./bars.ts"
import { empty, facts, type Html } from "./elements.ts"
import { eventLine } from "./events/event-item.ts"
import { outcomeMark } from "./events/event-outcomes.ts"
import type { DashboardEnv } from "./guard.ts"
import { live } from "./live.ts"
import {
  failedSendsToday,
  countInWords,
  type FailedSends,
  newChatsLine,
} from "./numbers/count-failed-sends.ts"
import { addButton } from "./numbers/numbers.ts"
import { kinds, kindWords, manyNumbers, type Ranked, rankingOf } from "./numbers/ranking.ts"
import { calledOf, stateLine, inWords, phoneOf, pathOfAction } from "./numbers/state-words.ts"
import { ago } from "./times.ts"
import { isFailing, type Receiving, receiverTroubles, receivingOf } from "./webhooks/webhook-health.ts"

/** How often the page looks again; where there are very many numbers, only when its stream begins anew. */
const lookEachMs = 5000
const lookAtManyEachMs = 60_000
/** How long the page waits for the words of sessions, ms. */
const soonMs = 150
/**
 * How many numbers with troubles are shown (`troubles`). Up to how many numbers all webhooks are looked at
 * (`looked`), and of how many failing ones beyond that (`failing`). From how many numbers the latest messages
 * are read (`read`), and how many of these are shown (`messages`).
 */
const most = { troubles: 10, looked: 200, failing: 50, read: 20, messages: 10 }

/**
 * The first page of an account that is past its first steps: what is down and why, what failed, what came
 * last.
 */
export const home = new Hono<DashboardEnv>()
  .get("/", async (c, next) => {
    const isMany = c.var.me.account.bridges > manyNumbers
    const ranking = isMany ? undefined : await rankingIn(c)
    if (ranking && !ranking.some(isInUse)) return await next()
    const parts = ranking ? [...(await partsOf(c, ranking)).values()] : await before(c.var.accountId)
    return await headedPage(c, {
      title: "Home",
      about: "What needs attention, today's figures and the latest messages.",
      actions: c.var.me.mayChange ? addButton() : undefined,
      place: "start",
      body: html`<div class="stack" data-stream="/live/home">${parts}</div>`,
    })
  })
  .get("/live/home", async (c) => {
    const isMany = c.var.me.account.bridges > manyNumbers
    return await live(c, isMany ? lookAtManyEachMs : lookEachMs, async () => {
      const parts = await partsOf(c, await rankingIn(c))
      return new Map([...parts].map(([name, part]) => [name, { html: part }]))
    })
  })

async function rankingIn(c: Context<DashboardEnv>): Promise<Ranked[]> {
  const { accountId } = c.var
  const names = (await Bridge.listBrief(accountId)).filter(Bridge.isVisible)
  return await rankingOf(accountId, names.toSorted(Bridge.oldestFirst))
}

/**
 * Whether a number is in use: it is no sandbox, has had a phone, and has a webhook or is down. Until one is,
 * the first page of an account shows its first steps.
 */
function isInUse({ bridge, hadPhone, group }: Ranked): boolean {
  return !bridge.isSandbox && hadPhone && (bridge.webhookUrl !== "" || group === "down")
}

/**
 * What the page shows until its stream brings more: the numbers as they were last read. A second is too
 * short to read a very large account.
 */
async function before(accountId: string): Promise<Html[]> {
  const overview = await KeptOverview.get(accountId)
  const stood = kinds.map(
    (kind) =>
      [html`<a href="/numbers?show=${kind}">${kindWords[kind]}</a>`, overview?.counts[kind] ?? 0] as const,
  )
  return [
    html`<section class="card" id="troubles">
      <p>
        Looking at all numbers. This takes a moment.
        ${overview ? "This is how they stood the last time, at most a day ago:" : ""}
      </p>
      ${overview ? facts(stood) : ""}
    </section>`,
    html`<section id="today" hidden></section>`,
    html`<section id="latest" hidden></section>`,
  ]
}

/** The whole bridges, without those that were deleted meanwhile. */
async function wholeOf(named: Bridge.Listed[]): Promise<Bridge.Info[]> {
  const found = await Promise.all(named.map(async (one) => await Bridge.find(one.accountId, one.customerRef)))
  return found.filter((bridge) => bridge !== undefined)
}

async function partsOf(c: Context<DashboardEnv>, ranking: Ranked[]): Promise<Map<string, Html>> {
  const failedSends = await failedSendsToday(c.var.accountId)
  const [troubles, latest] = await Promise.all([
    troublesOf(ranking, failedSends, c.var.me.mayChange),
    latestOf(ranking),
  ])
  return new Map([
    ["troubles", troubles],
    ["today", todayCard(ranking, failedSends)],
    ["latest", latestCard(latest)],
  ])
}

/**
 * The numbers that are down, or whose events do not get through (where the numbers are few, also those of
 * earlier days), or that the network restricts, or that it let start no new chats today.
 */
async function troublesOf(
  ranking: Ranked[],
  failedSends: Map<string, FailedSends>,
  mayChange: boolean,
): Promise<Html> {
  const down = ranking.filter(({ group }) => group === "down")
  const others = ranking.filter(({ group }) => group !== "down")
  const asked =
    ranking.length <= most.looked
      ? others
      : others.filter(({ isFailing }) => isFailing).slice(0, most.failing)
  const read = await Promise.all(
    (await wholeOf(asked.map(({ bridge }) => bridge))).map(
      async (bridge) => [bridge, await receivingOf(bridge)] as const,
    ),
  )
  const receivings = new Map(read.map(([{ id }, receiving]) => [id, receiving]))
  const stuck = read.filter(([, receiving]) => isStuck(receiving)).map(([bridge]) => bridge)
  const all = uniqueById([
    ...down.map(({ bridge }) => bridge),
    ...stuck,
    ...others
      .filter(
        ({ bridge, isRestricted }) =>
          isRestricted || (failedSends.get(bridge.customerRef)?.newChats ?? 0) > 0,
      )
      .map(({ bridge }) => bridge),
  ])
  const shown = await Promise.all(
    (await wholeOf(all.slice(0, most.troubles))).map(async (bridge) => {
      const receiving = receivings.get(bridge.id) ?? (await receivingOf(bridge))
      return {
        bridge,
        receiving,
        knownState: await knownStateWithin(bridge, await Lease.get(bridge.id), soonMs),
      }
    }),
  )
  return troublesCard(shown, all.length, failedSends, mayChange)
}

/** A number that needs attention, and how it stands. */
interface Troubled {
  bridge: Bridge.Info
  receiving: Receiving
  knownState: KnownState
}

function troublesCard(
  shown: Troubled[],
  count: number,
  failedSends: Map<string, FailedSends>,
  mayChange: boolean,
): Html {
  if (count === 0)
    return html`<section class="card" id="troubles">
      <h2><span class="state good">All is well</span></h2>
      <p>No number is down or restricted, and every event was delivered or waits for its turn.</p>
    </section>`
  return html`<section class="card flush" id="troubles">
    <header>
      <h2>${count === 1 ? "One number needs attention" : `${count} numbers need attention`}</h2>
    </header>
    <ul class="feed troubles">
      ${shown.map((one) => troubledItem(one, failedSends.get(one.bridge.customerRef), mayChange))}
    </ul>
    ${
      count > shown.length
        ? html`<footer><a href="/numbers">All numbers, those with troubles first</a></footer>`
        : ""
    }
  </section>`
}

function troubledItem(
  { bridge, receiving, knownState }: Troubled,
  sends: FailedSends | undefined,
  mayChange: boolean,
): Html {
  const ref = bridge.customerRef
  const at = `/numbers/${ref}`
  const { name, under } = calledOf(bridge, phoneOf(knownState))
  const problems = [
    ...problemsOf(ref, knownState, receiving, mayChange),
    ...(sends && sends.newChats > 0 ? [ofSends(sends)] : []),
  ]
  return html`<li>
    <div>
      <a class="strong" href="${at}">${name}</a>
      <div class="small muted">${under}</div>
    </div>
    <ul class="problems">
      ${problems.map(
        ({ said, href, label }) =>
          html`<li>
            <div>${said}</div>
            ${href === undefined ? "" : html`<a class="button slim" href="${href}">${label}<span class="hidden"> ${ref}</span></a>`}
          </li>`,
      )}
    </ul>
  </li>`
}

function uniqueById<One extends { id: string }>(all: One[]): One[] {
  return [...new Map(all.map((one) => [one.id, one])).values()]
}

/** Something to attend to, and the one thing to do about it. */
interface Problem {
  said: Html
  href?: string
  label?: string
}

/** How a number stands, and what does not get through. */
function problemsOf(
  ref: string,
  knownState: KnownState,
  receiving: Receiving,
  mayChange: boolean,
): Problem[] {
  const action = mayChange ? inWords(knownState).action : undefined
  const ofSession = {
    said: stateLine(knownState),
    ...(action && { href: pathOfAction(`/numbers/${ref}`, action.to), label: action.label }),
  }
  const ofWebhooks = receiverTroubles(ref, receiving).map(({ mark, about, href, label }) => ({
    said: html`${mark}
      <div class="small muted">${about}</div>`,
    href,
    label,
  }))
  return [ofSession, ...ofWebhooks]
}

function ofSends(sends: FailedSends): Problem {
  return { said: html`${newChatsLine(sends)}`, href: "/requests?refused=true", label: "See requests" }
}

function isStuck(receiving: Receiving): boolean {
  return receiving.undelivered.size > 0 || isFailing(receiving)
}

/** Today's counts (UTC), and its messages by hour. */
function todayCard(ranking: Ranked[], failedSends: Map<string, FailedSends>): Html {
  const days = ranking.flatMap(({ today }) => today ?? [])
  const sum = (of: (day: (typeof days)[number]) => number) => days.reduce((all, day) => all + of(day), 0)
  const hours = Array.from({ length: 24 }, (_, i) => sum((day) => day.hours[i] ?? 0))
  const failed = sum((day) => day.failed)
  const undelivered = sum((day) => day.undelivered)
  const sends = [...failedSends.values()].reduce((all, { count }) => all + count, 0)
  return html`<section class="card" id="today">
    <header>
      <h2>Today</h2>
      <p>Since midnight UTC.</p>
    </header>
    <dl class="counts">
      <div>
        <dt>Messages received</dt>
        <dd>${sum((day) => day.messages)}</dd>
      </div>
      <div>
        <dt>Attempts that failed</dt>
        <dd class="${failed > 0 ? "bad" : ""}">${failed}</dd>
      </div>
      <div>
        <dt>Events undelivered</dt>
        <dd class="${undelivered > 0 ? "bad" : ""}">${undelivered}</dd>
      </div>
      ${
        sends === 0
          ? ""
          : html`<div>
              <dt>Sends that failed at the network</dt>
              <dd class="bad"><a href="/requests?refused=true">${countInWords(sends)}</a></dd>
            </div>`
      }
    </dl>
    ${barsByHour(hours)}
  </section>`
}

interface Latest {
  ref: string
  stored: StoredEvent
}

/** The latest messages of the numbers that had some today; of all, if they are few. */
async function latestOf(ranking: Ranked[]): Promise<Latest[]> {
  const own = ranking.filter(({ bridge }) => !bridge.isSandbox)
  const busy = own.length <= most.read ? own : own.filter(({ today }) => (today?.messages ?? 0) > 0)
  const found = await Promise.all(
    (await wholeOf(busy.slice(0, most.read).map(({ bridge }) => bridge))).map(async (bridge) => {
      const asked = { types: ["message"], isNewestFirst: true, limit: most.messages } as const
      const { events } = await EventFeed.page(bridge, asked)
      return events.map((stored) => ({ ref: bridge.customerRef, stored }))
    }),
  )
  return found
    .flat()
    .toSorted((a, b) => b.stored.created_at - a.stored.created_at)
    .slice(0, most.messages)
}

function latestCard(latest: Latest[]): Html {
  return html`<section class="card flush" id="latest">
    <header><h2>Latest messages received</h2></header>
    ${
      latest.length === 0
        ? empty({ icon: "inbox", about: "None is kept. Each message that comes appears here." })
        : html`<ul class="feed">
            ${latest.map(
              ({ ref, stored }) =>
                html`<li class="line">
                  <a class="tag" href="/numbers/${ref}">${ref}</a>
                  <a class="about" href="/numbers/${ref}/events/${stored.event_id}"
                    >${eventLine(stored.event)}</a
                  >
                  <span class="row"
                    >${outcomeMark(stored.event_id, stored.state)}
                    <span class="small muted">${ago(stored.created_at * 1000)}</span></span
                  >
                </li>`,
            )}
          </ul>`
    }
  </section>`
}
