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
import { namesOf } from "./conversations/chat-name.ts"
import { empty, facts, type Html } from "./elements.ts"
import { eventLine, jidsOf } from "./events/event-item.ts"
import { outcomeMark } from "./events/event-outcomes.ts"
import type { DashboardEnv } from "./guard.ts"
import { live } from "./live.ts"
import {
  failedSendsToday,
  countInWords,
  type FailedSends,
  newChatsWords,
} from "./numbers/count-failed-sends.ts"
import { addButton } from "./numbers/numbers.ts"
import { kinds, kindWords, manyNumbers, type Ranked, rankingOf } from "./numbers/ranking.ts"
import { calledOf, inWords, phoneOf, pathOfAction, silence } from "./numbers/state-words.ts"
import { ago } from "./times.ts"
import { mostCounted, type Receiving, receiverTroubles, receivingOf } from "./webhooks/webhook-health.ts"
import { pathAround } from "./where/span.ts"

/** How often the page looks again; where there are very many numbers, only when its stream begins anew. */
const lookEachMs = 5000
const lookAtManyEachMs = 60_000
/** How long the page waits for the words of sessions, ms. */
const soonMs = 150
/**
 * How many numbers with troubles are shown (`troubles`), and how many failing ones are looked at (`looked`).
 * From how many numbers the latest messages are read (`read`), and how many of these are shown (`messages`).
 */
const most = { troubles: 10, looked: 50, read: 20, messages: 10 }

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
 * Whether a number is in use: it is no sandbox, and has had a phone. Until one is, the first page of an
 * account shows its first steps.
 */
function isInUse({ bridge, hadPhone }: Ranked): boolean {
  return !bridge.isSandbox && hadPhone
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
    html`<section id="today" hidden></section>`,
    html`<section class="card" id="troubles">
      <p>
        Looking at all numbers. This takes a moment.
        ${overview ? "This is how they stood the last time, at most a day ago:" : ""}
      </p>
      ${overview ? facts(stood) : ""}
    </section>`,
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
    ["today", todayCard(ranking, failedSends)],
    ["troubles", troubles],
    ["latest", await latestCard(c, latest)],
  ])
}

/**
 * The numbers that are down, or whose events do not get through, or that the network restricts, or that it
 * let start no new chats today.
 */
async function troublesOf(
  ranking: Ranked[],
  failedSends: Map<string, FailedSends>,
  mayChange: boolean,
): Promise<Html> {
  const failing = ranking.filter(({ group, isFailing }) => group !== "down" && isFailing)
  const read = await Promise.all(
    (await wholeOf(failing.slice(0, most.looked).map(({ bridge }) => bridge))).map(
      async (bridge) => [bridge.id, await receivingOf(bridge)] as const,
    ),
  )
  const receivings = new Map(read)
  // What its row calls a failure may be over.
  const isOver = (id: string) => receivings.has(id) && receiverTroubles("", receivings.get(id)!).length === 0
  const troubled = ranking.filter(
    ({ bridge, group, isFailing, isRestricted }) =>
      group === "down" ||
      (isFailing && !isOver(bridge.id)) ||
      isRestricted ||
      (failedSends.get(bridge.customerRef)?.newChats ?? 0) > 0,
  )
  const shown = await Promise.all(
    (await wholeOf(troubled.slice(0, most.troubles).map(({ bridge }) => bridge))).map(async (bridge) => ({
      bridge,
      receiving: receivings.get(bridge.id) ?? (await receivingOf(bridge)),
      knownState: await knownStateWithin(bridge, await Lease.get(bridge.id), soonMs),
    })),
  )
  const unsettled = ranking.filter(({ group }) => group === "unsettled").length
  return troublesCard(shown, { count: troubled.length, unsettled }, failedSends, mayChange)
}

/** A number that needs attention, and how it stands. */
interface Troubled {
  bridge: Bridge.Info
  receiving: Receiving
  knownState: KnownState
}

function troublesCard(
  shown: Troubled[],
  { count, unsettled }: { count: number; unsettled: number },
  failedSends: Map<string, FailedSends>,
  mayChange: boolean,
): Html {
  if (count === 0)
    return html`<section class="card" id="troubles">
      <h2><span class="state good">${unsettled === 0 ? "All is well" : "Nothing to do"}</span></h2>
      <p>No number is down or restricted, and every event was delivered or waits for its turn.</p>
      ${
        unsettled === 0
          ? ""
          : html`<p>
              <a href="/numbers?show=unsettled"
                >${unsettled === 1 ? "One number is" : `${unsettled} numbers are`} unsettled</a
              >: paused here, starting, or reconnecting.
            </p>`
      }
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

/** One line for a number: what is wrong first, then whose it is, and the one thing to do about it. */
function troubledItem(
  { bridge, receiving, knownState }: Troubled,
  sends: FailedSends | undefined,
  mayChange: boolean,
): Html {
  const ref = bridge.customerRef
  const { name, under } = calledOf(bridge, phoneOf(knownState))
  const problems = [
    ...problemsOf(ref, knownState, receiving, mayChange),
    ...(sends && sends.newChats > 0 ? [ofSends(ref, sends)] : []),
  ]
  const act = problems.find(({ href }) => href !== undefined)
  // The first cause in words; the others are marks.
  const [first] = problems
  const beganMs = [receiving.failingSinceMs, sends?.lastNewChatMs, sinceOf(knownState)].find((ms) => ms)
  return html`<li class="line">
    <div class="about">
      ${problems.map(({ mark }) => mark)}
      ${first && first.about !== "" ? html`<span class="small muted">${first.about}</span>` : ""}
      ${beganMs === undefined ? "" : html`<a class="small" href="${pathAround(ref, beganMs)}">What happened then<span class="hidden"> at ${ref}</span></a>`}
    </div>
    <div>
      <a class="strong" href="/numbers/${ref}">${name}</a>
      <span class="small muted">${under}</span>
    </div>
    ${act ? html`<a class="button slim" href="${act.href}">${act.label}<span class="hidden"> ${ref}</span></a>` : ""}
  </li>`
}

/** Since when a number stands badly, in ms. */
function sinceOf(knownState: KnownState): number | undefined {
  const isBad = ["bad", "warn"].includes(inWords(knownState).tone)
  return isBad && knownState.kind === "said" ? knownState.sinceMs : undefined
}

/** Something to attend to, and the one thing to do about it. */
interface Problem {
  mark: Html
  about: Html | string
  href?: string
  label?: string
}

/** How a number stands, if that is a problem, and what does not get through. */
function problemsOf(
  ref: string,
  knownState: KnownState,
  receiving: Receiving,
  mayChange: boolean,
): Problem[] {
  const { tone, word, cause, action } = inWords(knownState)
  const act =
    mayChange && action ? { href: pathOfAction(`/numbers/${ref}`, action.to), label: action.label } : {}
  const mark = html`<span class="state ${tone}">${word}</span>`
  const about = html`${silence(knownState)} ${cause}`
  const ofSession = tone === "bad" || tone === "warn" ? [{ mark, about, ...act }] : []
  const ofWebhooks = receiverTroubles(ref, receiving).map(({ about, url, ...one }) => {
    return { ...one, about: url === undefined ? about : html`<bdi class="mono">${url}</bdi> ${about}` }
  })
  return [...ofSession, ...ofWebhooks]
}

function ofSends(ref: string, sends: FailedSends): Problem {
  const href = `/requests?refused=true&code=463&number=${ref}`
  const { mark, about } = newChatsWords(ref, sends)
  return { mark, about, href, label: "See requests" }
}

/** What came today (UTC), what is not delivered yet, and what failed. */
function todayCard(ranking: Ranked[], failedSends: Map<string, FailedSends>): Html {
  const sum = (of: (one: Ranked) => number) => ranking.reduce((all, one) => all + of(one), 0)
  const hours = Array.from({ length: 24 }, (_, i) => sum(({ came }) => came[i] ?? 0))
  const waiting = sum((one) => one.waiting)
  const undelivered = sum((one) => one.undelivered)
  const isAtLeast = ranking.some((one) => one.undelivered >= mostCounted)
  const sends = [...failedSends.values()].reduce((all, { count }) => all + count, 0)
  const figures: [name: string, value: Html | string | number, tone: string][] = [
    ["Messages received today", hours.reduce((all, count) => all + count, 0), ""],
    ["Events not delivered yet", waiting, waiting > 0 ? "warn" : ""],
    [
      "Events undelivered, of 30 days",
      `${undelivered}${isAtLeast ? " or more" : ""}`,
      undelivered > 0 ? "bad" : "",
    ],
  ]
  if (sends > 0)
    figures.push([
      "Sends today that failed at the network",
      html`<a href="/requests?refused=true&code=network_rejected">${countInWords(sends)}</a>`,
      "bad",
    ])
  return html`<section class="card" id="today">
    <dl class="counts">
      ${figures.map(
        ([name, value, tone]) =>
          html`<div>
            <dt>${name}</dt>
            <dd class="${tone}">${value}</dd>
          </div>`,
      )}
    </dl>
    ${barsByHour(hours)}
  </section>`
}

interface Latest {
  bridge: Bridge.Info
  stored: StoredEvent
}

/** The latest messages of the numbers that had some today; of all, if they are few. */
async function latestOf(ranking: Ranked[]): Promise<Latest[]> {
  const own = ranking.filter(({ bridge }) => !bridge.isSandbox)
  const busy = own.length <= most.read ? own : own.filter(({ came }) => came.length > 0)
  const found = await Promise.all(
    (await wholeOf(busy.slice(0, most.read).map(({ bridge }) => bridge))).map(async (bridge) => {
      const asked = {
        types: ["message"],
        direction: "in",
        isNewestFirst: true,
        limit: most.messages,
      } as const
      const { events } = await EventFeed.page(bridge, asked)
      return events.map((stored) => ({ bridge, stored }))
    }),
  )
  return found
    .flat()
    .toSorted((a, b) => b.stored.created_at - a.stored.created_at)
    .slice(0, most.messages)
}

async function latestCard(c: Context<DashboardEnv>, latest: Latest[]): Promise<Html> {
  const lines = latest.map(async ({ bridge, stored: { event, ...stored } }) => {
    const nameOf = await namesOf({ var: { bridge, requestId: c.var.requestId } }, jidsOf(event))
    const { customerRef: ref, shownName } = bridge
    return html`<li class="line">
      <a class="tag" href="/numbers/${ref}"><bdi>${shownName || ref}</bdi></a>
      <a class="about" href="/numbers/${ref}/events/${stored.event_id}">${eventLine(event, nameOf)}</a>
      <span class="row"
        >${outcomeMark(stored.event_id, stored.state)}
        <span class="small muted">${ago(stored.created_at * 1000)}</span></span
      >
    </li>`
  })
  return html`<section class="card flush" id="latest">
    <header><h2>Latest messages received</h2></header>
    ${
      latest.length === 0
        ? empty({ icon: "inbox", about: "None is kept. Each message that comes appears here." })
        : html`<ul class="feed">
            ${await Promise.all(lines)}
          </ul>`
    }
  </section>`
}
