import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import type { RequestLog } from "#core/account/request-log.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { now } from "#core/platform/clock.ts"
import { headedPage, toQuery } from "../answer.ts"
import { chatName, type NameOf, namesOf, numberOf, pathOfChat } from "../conversations/chat-name.ts"
import { empty, type Html, nextPage, note, selectField, unlessScript } from "../elements.ts"
import { eventLine, jidsOf } from "../events/event-item.ts"
import { stateMark } from "../events/event-outcomes.ts"
import { wordsOf } from "../events/message-words.ts"
import type { DashboardEnv } from "../guard.ts"
import { calledOf } from "../numbers/state-words.ts"
import { ago } from "../times.ts"
import { type Asked, isZone, understand } from "./asked.ts"
import { find, type Found, pathOfMessage } from "./find.ts"
import { pathOfSpan, type Span } from "./span.ts"
import { sentMark } from "./steps.ts"

const Query = z.object({
  q: z.string().default(""),
  /** The reader's time zone, which the script tells. */
  zone: z.string().refine(isZone).default("UTC").catch("UTC"),
  number: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional()
    .catch(undefined),
  /** Of the one number: only this chat; only events before this one, and what is kept behind this place. */
  chat: z.string().max(100).optional().catch(undefined),
  before: z.coerce.number().int().positive().optional().catch(undefined),
  after: z.string().max(400).optional().catch(undefined),
  /** Of all: only numbers from this one on. */
  from: z.string().optional(),
})
type Query = z.infer<typeof Query>

/** How many numbers the form offers to choose from, and at how many people's names are asked for. */
const [mostOffered, mostNamed] = [500, 10]

/** "Where is it?": leads from anything that people know of a message to the page of its way. */
export const where = new Hono<DashboardEnv>().get("/where", async (c) => {
  const query = Query.parse(c.req.query())
  const all = (await Bridge.listBrief(c.var.accountId)).filter(Bridge.isVisible).toSorted(Bridge.oldestFirst)
  const chosen = all.find(({ customerRef }) => customerRef === query.number)
  const asked = understand(query.q, now(), query.zone)
  if (asked.typed === "") return await shown(c, { query, all }, empty({ isCard: true, about: whatIsFound }))
  if (asked.span) return await ofSpan(c, { query, all, chosen, span: asked.span })
  const { accountId, requestId } = c.var
  const start = all.findIndex(({ customerRef }) => customerRef === query.from)
  const numbers = chosen ? [chosen] : all.slice(Math.max(0, start))
  const { chat, before, after } = chosen ? query : {}
  const found = await find({ accountId, requestId, asked, numbers, all, chat, before, after })
  if (found.to !== undefined) return c.redirect(found.to)
  return await shown(c, { query, all }, await results(c, { query, asked, found, numbers }))
})

const whatIsFound = html`Type above: a person's name or number, words of a message, a time ${unlessScript}
such as 14:02, the id of a message, an event or a request, or an Idempotency-Key.`

interface Looked {
  query: Query
  all: Bridge.Listed[]
}

async function shown(c: Context<DashboardEnv>, { query, all }: Looked, body: Html): Promise<Response> {
  return await headedPage(c, {
    title: "Where is it?",
    number: query.number,
    sought: query.q,
    body: html`${query.q === "" || all.length < 2 ? "" : form(query, all)} ${body}`,
  })
}

/** The number in which to look. */
function form({ q, number, zone }: Query, all: Bridge.Listed[]): Html {
  const choices = all
    .slice(0, mostOffered)
    .map(({ customerRef: ref, shownName }) => [ref, shownName || ref] as const)
  return html`<form class="inline" method="get" action="/where" aria-label="Which number">
    <input type="hidden" name="q" value="${q}" />
    <input type="hidden" name="zone" value="${zone}" />
    ${selectField({ id: "in-number", name: "number", label: "In", choices: [["", "All numbers"], ...choices], chosen: number })}
    <div class="row"><button class="button">Look there</button></div>
  </form>`
}

/** A span of a number is a page of its own. Which number, where there are several? */
async function ofSpan(
  c: Context<DashboardEnv>,
  { query, all, chosen, span }: Looked & { chosen: Bridge.Listed | undefined; span: Span },
): Promise<Response> {
  const only = chosen ?? (all.length === 1 ? all[0] : undefined)
  const pathAt = ({ customerRef: ref }: Bridge.Listed) => pathOfSpan(ref, span)
  if (only) return c.redirect(pathAt(only))
  const body = html`<section class="card flush found">
    <header><h2>At which number?</h2></header>
    <ul class="feed">
      ${all.slice(0, mostOffered).map((one) => html`<li class="line">${linkTo(pathAt(one), calledOf(one, "").name)}</li>`)}
    </ul>
  </section>`
  return await shown(c, { query, all }, body)
}

function linkTo(href: string, words: Html | string): Html {
  return html`<a class="about" href="${href}">${words}</a>`
}

interface Result {
  query: Query
  asked: Asked
  found: Found
  numbers: Bridge.Listed[]
}

async function results(c: Context<DashboardEnv>, { query, asked, found, numbers }: Result): Promise<Html> {
  const isOne = numbers.length === 1
  const tag = (ref: string) => (isOne ? "" : html`<span class="tag">${ref}</span>`)
  const nameOf = await namesIn(c, found)
  // What became of a message that is listed is on its own page.
  const listed = new Set(found.sent.map(({ value }) => value.message_id))
  const isNews = ({ value: { event } }: Found["events"][number]) =>
    event.event !== "message_status" || !listed.has(event.message_id)
  const parts = [
    part(
      "Numbers",
      found.numbers.map((one) => linkTo(`/numbers/${one.customerRef}`, calledOf(one, "").name)),
    ),
    part(
      "People",
      found.people.map(({ bridge: { customerRef: ref }, value: { jid, name } }) => {
        const words = html`<b><bdi>${chatName(jid, name)}</bdi></b> ${numberOf(jid)}`
        return html`${tag(ref)} ${linkTo(pathOfChat(ref, jid), words)}`
      }),
    ),
    part("Requests", found.request ? [requestLine(found.request)] : []),
    part(
      "Sent through the API",
      found.sent.map(({ bridge, value }) => {
        const href = pathOfMessage(bridge.customerRef, value.message_id)
        const words = html`to <b><bdi>${nameOf(bridge)(value.chat_id)}</bdi></b> <bdi>${wordsOf(value)}</bdi>`
        return html`${tag(bridge.customerRef)} ${linkTo(href, words)}
        ${standing(sentMark(value.status), value.asked_at)}`
      }),
    ),
    keptPart(found, tag),
    part(
      "Messages and events",
      found.events.filter(isNews).map(({ bridge, value: { event_id: id, event, state, created_at } }) => {
        const words = html`${event.event === "message" ? "" : `${event.event} `}
          <bdi>${eventLine(event, nameOf(bridge))}</bdi>`
        return html`${tag(bridge.customerRef)} ${linkTo(`/numbers/${bridge.customerRef}/events/${id}`, words)}
        ${standing(stateMark(state), created_at)}`
      }),
    ),
  ].filter((one) => one !== undefined)
  const only = isOne ? numbers[0] : undefined
  const on = { q: query.q, number: query.number ?? only?.customerRef, chat: query.chat }
  const { before, from, after } = found
  const further = [
    nextPage(before === undefined ? undefined : `/where?${toQuery({ ...on, before })}`, "Look further back"),
    nextPage(after && `/where?${toQuery({ ...on, after })}`, "Look further back in what is kept"),
    nextPage(isOne ? undefined : from && `/where?${toQuery({ ...on, from })}`, "Look at further numbers"),
  ]
  const ofChat = query.chat === undefined || !only ? "" : chatOnly(query, query.chat)
  return html`${ofChat} ${searched({ found, numbers, asked })}
    ${only && c.var.me.mayChange ? newChat(only.customerRef, asked) : ""}
    <div class="found stack">
      ${
        parts.length === 0
          ? empty({
              isCard: true,
              title: "Nothing was found",
              about: html`Nothing that was looked at has “<bdi>${asked.typed}</bdi>”.`,
            })
          : parts
      }
    </div>
    ${further}`
}

function chatOnly({ q, number }: Query, chat: string): Html {
  return html`<p class="small muted">
    In one chat: <bdi>${numberOf(chat)}</bdi>.
    <a href="/where?${toQuery({ q, number })}">Search all of them</a>
  </p>`
}

/** A number that was typed may be written to, also if there is no chat with it yet. */
function newChat(ref: string, { typed }: Asked): Html | string {
  const digits = typed.replaceAll(/[\s+().-]/g, "")
  if (!/^\d{7,15}$/.test(digits)) return ""
  return html`<p>
    <a class="button" href="${pathOfChat(ref, `${digits}@s.whatsapp.net`)}">Write to +${digits}</a>
  </p>`
}

function keptPart({ kept }: Found, tag: (ref: string) => Html | string): Html | undefined {
  return part(
    "Kept messages",
    kept.map(({ bridge: { customerRef: ref }, value }) => {
      const { chat_id: chat, timestamp } = value
      const words = html`${value.from_me ? "to" : "from"}
        <b><bdi>${chatName(chat, value.from_me ? "" : value.name)}</bdi></b> <bdi>${wordsOf(value)}</bdi>`
      return html`${tag(ref)} ${linkTo(`${pathOfChat(ref, chat)}?until=${timestamp + 1}`, words)}
        <span class="small muted">${ago(timestamp * 1000)}</span>`
    }),
  )
}

/** How something stands, and since when. */
function standing(mark: Html, seconds: number): Html {
  return html`<span class="row">${mark} <span class="small muted">${ago(seconds * 1000)}</span></span>`
}

/** How people are called at the numbers of what was found. */
async function namesIn(
  c: Context<DashboardEnv>,
  { events, sent }: Found,
): Promise<(bridge: Bridge.Info) => NameOf> {
  const named = [
    ...events.map(({ bridge, value }) => ({ bridge, jids: jidsOf(value.event) })),
    ...sent.map(({ bridge, value }) => ({ bridge, jids: [value.chat_id] })),
  ]
  const all = await Promise.all(
    [...Map.groupBy(named, ({ bridge }) => bridge.id)].slice(0, mostNamed).map(async ([id, some]) => {
      const of = { var: { bridge: some[0]!.bridge, requestId: c.var.requestId } } // a group has a first
      return [
        id,
        await namesOf(
          of,
          some.flatMap(({ jids }) => jids),
        ),
      ] as const
    }),
  )
  const known = new Map(all)
  return ({ id }) => known.get(id) ?? chatName
}

function part(title: string, items: Html[]): Html | undefined {
  if (items.length === 0) return undefined
  return html`<section class="card flush">
    <header><h2>${title}</h2></header>
    <ul class="feed">
      ${items.map((item) => html`<li class="line">${item}</li>`)}
    </ul>
  </section>`
}

/** A call leads to its place among the requests. */
function requestLine({ place, method, path, status, refusal, atMs }: RequestLog.Kept): Html {
  return html`<span class="state ${status >= 400 ? "bad" : "good"}">${status}</span>
    ${linkTo(`/requests/${place}`, html`<code><bdi>${method} ${path}</bdi></code> ${refusal?.sentence ?? ""}`)}
    <span class="small muted">${ago(atMs)}</span>`
}

/** The first of these numbers. */
function few(refs: string[]): string {
  return `${refs.slice(0, 3).join(", ")}${refs.length > 3 ? " and others" : ""}`
}

/** What was searched and what not, where that is not all. */
function searched({ found, numbers, asked }: Omit<Result, "query">): Html {
  const { unread, silent } = found
  const said = [
    unread.length > 0 &&
      (numbers.length === 1
        ? `There was ${found.before === undefined ? "no time for the events: try again" : "time for the newest events only: look further back below"}.`
        : `There was no time for all events of ${unread.length} of ${numbers.length} numbers (${few(unread)}): look at further ones below, or choose one.`),
    silent.length > 0 &&
      `The people, and what the API sent, were not looked at for ${silent.length === 1 ? "the number" : `${silent.length} numbers`} ${few(silent)}${silent.length > 20 ? ": choose one" : ": no session answered"}.`,
    asked.texts.some((text) => text.length < 3) && "Very short texts are found in very much.",
  ].filter((one) => one !== false)
  return said.length === 0 ? html`` : note("info", said.join(" "))
}
