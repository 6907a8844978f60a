import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import type { Event } from "#contract/event.ts"
import { SentMessage } from "#contract/message.ts"
import { RequestLog } from "#core/account/request-log.ts"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import { AttemptLog } from "#core/event/attempt-log.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventFeed } from "#core/event/event-feed.ts"
import { iso, now } from "#core/platform/clock.ts"
import { numberPage, toQuery } from "../answer.ts"
import { bridgesAsNumbers } from "../api-words.ts"
import { namesOf } from "../conversations/chat-name.ts"
import { empty, type Html, note, timeField } from "../elements.ts"
import { whyFailed } from "../events/attempt-words.ts"
import { eventLine, jidsOf } from "../events/event-item.ts"
import { stateMark } from "../events/event-outcomes.ts"
import { wordsOf } from "../events/message-words.ts"
import type { DashboardEnv } from "../guard.ts"
import { linked } from "../numbers/log.ts"
import { askSession, type SessionAnswer } from "../numbers/session-answer.ts"
import { numberIn } from "../requests.ts"
import { time } from "../times.ts"
import { webhookQuery } from "../webhooks/webhook-health.ts"
import { pathOfMessage } from "./find.ts"
import { sentMark, type Step, steps } from "./steps.ts"

/** A span of a number's time, Unix seconds. */
export interface Span {
  from: number
  to: number
}

/** The page of what happened at a number in a span of time. */
export function pathOfSpan(ref: string, { from, to }: Span): string {
  return `/numbers/${ref}/what-happened?${toQuery({ from: Math.floor(from), to: Math.ceil(to) })}`
}

/** The page of what happened at a number around this time, in ms: what led to it, and what followed. */
export function pathAround(ref: string, ms: number): string {
  return pathOfSpan(ref, { from: ms / 1000 - 300, to: ms / 1000 + 300 })
}

type Sent = z.infer<typeof SentMessage>

/** How many things of each kind are shown, and how many pages of a list are read for them. */
const most = { each: 300, pages: 10 }
/** How long the page waits for what only the session knows, ms. */
const patienceMs = 900

/** Something that happened. `says`: what an attempt and its line in the log have in common. */
type Thing = Step & { says?: string | undefined }

/** Everything that happened at a number in a span of time, in one list, the first first. */
export const span = new Hono<DashboardEnv>().get("/numbers/:ref/what-happened", async (c) => {
  const { bridge } = c.var
  const asked = spanOf(c.req.query())
  const left: string[] = []
  const found = await Promise.all([
    attempts(bridge, asked),
    logLines(bridge, asked, left),
    events(c, asked, left),
    calls(bridge, asked, left),
    sent(c, asked, left),
  ])
  const [attempted, lines] = found
  // A line of the log that says no more than an attempt in the list is left out.
  const known = new Set(attempted.map(({ says }) => says))
  const newLines = lines.filter(({ says }) => says === undefined || !known.has(says))
  const things = [attempted, newLines, ...found.slice(2)]
    .flat()
    .toSorted(({ atMs: a = 0 }, { atMs: b = 0 }) => a - b)
  const body = html`${form(bridge.customerRef, asked)}
    ${left.length === 0 ? "" : note("info", left.join(" "))}
    <section class="card flush">
      <header>
        <h2>What happened</h2>
        <p>Messages and events, attempts at webhooks, calls of the API, and the log; the first on top.</p>
      </header>
      ${things.length === 0 ? empty({ about: "Nothing is known of this time." }) : ""} ${steps(things)}
    </section>`
  return await numberPage(c, "log", { title: `What happened at ${bridge.customerRef}`, body })
})

/** Unix seconds, or a day and a time, as a form sends them. */
const Time = z.union([
  z.coerce.number().int().positive().max(99_999_999_999),
  z.iso.datetime({ local: true }).transform((text) => Date.parse(`${text}Z`) / 1000),
])

function spanOf(query: Record<string, string>): Span {
  const to = Time.catch(now()).parse(query.to)
  return { from: Math.min(Time.catch(to - 600).parse(query.from), to), to }
}

function form(ref: string, { from, to }: Span): Html {
  return html`<form
    class="inline"
    method="get"
    action="/numbers/${ref}/what-happened"
    aria-label="Span of time"
  >
    ${timeField("From", secondOf("from", from))} ${timeField("To", secondOf("to", to))}
    <div class="row">
      <button class="button">Show</button>
      <a href="${pathOfSpan(ref, { from: from - (to - from), to: from })}">Before</a>
      <a href="${pathOfSpan(ref, { from: to, to: to + (to - from) })}">After</a>
    </div>
  </form>`
}

function secondOf(name: string, seconds: number) {
  return { name, step: 1, value: iso(seconds * 1000).slice(0, 19) }
}

/** What came, what was written on the phone, and how the connection went. */
async function events(c: Context<DashboardEnv>, { from, to }: Span, left: string[]): Promise<Thing[]> {
  const { bridge } = c.var
  const { events: found, next } = await EventFeed.page(bridge, { since: from, until: to, limit: most.each })
  const nameOf = await namesOf(
    c,
    found.flatMap(({ event }) => jidsOf(event)),
  )
  if (next !== undefined) left.push(`Of events, the first ${most.each} are shown.`)
  return found.map(({ event_id: id, event, state, created_at }) => {
    const isOfConnection = event.event === "connected" || event.event === "disconnected"
    const isLate = (stampOf(event) ?? created_at) < created_at - 60
    return {
      atMs: created_at * 1000,
      word: isOfConnection ? "connection" : "event",
      tone:
        event.event === "disconnected" || state === "undelivered" || event.event === "message_lost"
          ? "bad"
          : "good",
      about: html`<a href="/numbers/${bridge.customerRef}/events/${id}"
          >${event.event === "message" ? "" : `${event.event} `}<bdi>${eventLine(event, nameOf)}</bdi></a
        >
        ${stateMark(state)}
        ${isLate ? html`<div class="small muted">On the network since ${time(stampOf(event)! * 1000)}: it came late.</div>` : ""}`,
    }
  })
}

/** When the network says that it happened, Unix seconds. */
export function stampOf(event: Event): number | undefined {
  return "timestamp" in event && event.timestamp > 0 ? event.timestamp : undefined
}

async function attempts(
  { id: bridgeId, customerRef: ref }: Bridge.Info,
  { from, to }: Span,
): Promise<Thing[]> {
  const webhooks = await Delivery.ofBridge(bridgeId)
  const found = await Promise.all(
    webhooks.map(async (webhook) =>
      (await AttemptLog.latestDetailed(webhook)).map(({ attempt }): Thing => {
        const { event_id: id, event, success, attempt: nth } = attempt
        const words = success
          ? `Your program took it: status ${attempt.status_code}, in ${attempt.latency_ms} ms`
          : `${whyFailed(attempt)}: attempt ${nth}`
        return {
          atMs: Date.parse(attempt.timestamp),
          word: "attempt",
          says: `${id}, attempt ${nth}`,
          tone: success ? "good" : "bad",
          about: html`${words}:
            <a href="/numbers/${ref}/events/${id}${webhookQuery(webhook.webhookId)}">${event}</a>`,
        }
      }),
    ),
  )
  return found.flat().filter(({ atMs = 0 }) => atMs >= from * 1000 && atMs < to * 1000)
}

async function calls(bridge: Bridge.Info, { from, to }: Span, left: string[]): Promise<Thing[]> {
  const fits = ({ path }: RequestLog.Kept) => numberIn(path) === bridge.customerRef
  const asked = { sinceMs: from * 1000, untilMs: to * 1000, fits, limit: most.each }
  const { calls: all, next } = await RequestLog.page(bridge.accountId, asked)
  if (next !== undefined) left.push("Of API calls, the latest in this span are shown.")
  return all.map(({ atMs, method, path, status, refusal, place }) => ({
    atMs,
    word: "API call",
    tone: status >= 400 ? "bad" : "good",
    about: html`<a href="/requests/${place}"
        ><code><bdi>${method} ${path}</bdi></code></a
      >: ${status} ${refusal ? html`<bdi>${bridgesAsNumbers(refusal.sentence)}</bdi>` : ""}`,
  }))
}

/** What the API sent: only the session knows it, the newest first. */
async function sent(c: Context<DashboardEnv>, { from, to }: Span, left: string[]): Promise<Thing[]> {
  const all: Sent[] = []
  let after: string | undefined
  for (let page = 0; page < most.pages; page++) {
    const said: SessionAnswer<Sent[]> = await askSession(
      c,
      `/sent?${toQuery({ limit: 100, after })}`,
      z.array(SentMessage),
      patienceMs,
    )
    if (said.problem !== undefined) left.push(`What the API sent is not shown: ${said.problem}.`)
    all.push(...(said.value ?? []))
    after = said.problem === undefined ? said.next : undefined
    if (after === undefined || (all.at(-1)?.asked_at ?? 0) < from) break
    if (page === most.pages - 1) left.push("What the API sent may be missing: it has sent very much since.")
  }
  const { customerRef: ref } = c.var.bridge
  const inSpan = all.filter(({ asked_at: at }) => at >= from && at < to)
  const nameOf = await namesOf(
    c,
    inSpan.map(({ chat_id: chat }) => chat),
  )
  return inSpan.map((one) => ({
    atMs: one.asked_at * 1000,
    word: "sent",
    tone: one.status === "failed" || one.status === "pending" ? "bad" : "good",
    about: html`<a href="${pathOfMessage(ref, one.message_id)}"
        >to <b><bdi>${nameOf(one.chat_id)}</bdi></b> <bdi>${wordsOf(one)}</bdi></a
      >
      ${sentMark(one.status)}`,
  }))
}

async function logLines(bridge: Bridge.Info, { from, to }: Span, left: string[]): Promise<Thing[]> {
  if (!BridgeLog.isKept()) return []
  const [first, end] = [iso(from * 1000), iso(to * 1000)]
  const isWanted = (line: string) => line >= first && line < end
  const { lines, isCut } = await BridgeLog.read(bridge.id, { most: most.each, isWanted })
  if (isCut || lines.length >= most.each) left.push("Of the log, the latest lines in this span are shown.")
  return lines.flatMap((line) => {
    const [, at = "", level = "", text = ""] = /^(\S+Z) (INFO|WARN|ERROR) (.*)$/s.exec(line) ?? []
    const tone = level === "ERROR" ? "bad" : level === "WARN" ? "warn" : "idle"
    const [says] = /evt_\w+, attempt \d+/.exec(text) ?? []
    if (at === "") return []
    const about = html`${linked(bridge.customerRef, bridgesAsNumbers(text))}`
    return [{ atMs: Date.parse(at), word: "log", says, tone, about }]
  })
}
