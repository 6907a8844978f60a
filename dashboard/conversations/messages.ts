import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { SentMessage } from "#contract/message.ts"
import type { StoredEvent } from "#contract/stored-event.ts"
import { Choice } from "#core/bridge/choice.ts"
import { ApiError } from "#core/error.ts"
import { EventFeed } from "#core/event/event-feed.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { EventRow } from "#core/event/event-row.ts"
import { newEventsOf } from "#core/event/new-events.ts"
import { Receiver } from "#core/event/receiver.ts"
import { Lease } from "#core/lease/lease.ts"
import { numberPage, toQuery } from "../answer.ts"
import { bridgesAsNumbers, sentenceForPeople } from "../api-words.ts"
import { copyable, empty, field, type Html, icon, nextPage, note } from "../elements.ts"
import { marks } from "../events/event-outcomes.ts"
import { streamStartOf } from "../events/events.ts"
import { wordsOf } from "../events/message-words.ts"
import type { DashboardEnv } from "../guard.ts"
import { live, type Piece } from "../live.ts"
import { askSession } from "../numbers/session-answer.ts"
import { pathOfCall } from "../requests.ts"
import { ago } from "../times.ts"
import { pathOfMessage } from "../where/find.ts"
import { sentMark } from "../where/steps.ts"
import { type NameOf, namesOf, numberOf } from "./chat-name.ts"

type Sent = z.infer<typeof SentMessage>
type MessageEvent = Extract<StoredEvent["event"], { event: "message" }>

const perPage = 50
/**
 * How long the page waits, in ms, for the messages that were sent, which only the session can read. Then it
 * comes without them.
 */
const patienceMs = 900

/**
 * A message in the list: one that was sent (`call`: where its call is listed, if it is), or the event of one
 * that came or was written on the phone.
 */
type Item =
  | { atMs: number; sent: Sent; nameOf: NameOf; call?: string | undefined }
  | { atMs: number; stored: StoredEvent; event: MessageEvent; nameOf: NameOf }

/** Where a page begins, in each of its two lists. Parts that cannot be understood are left out. */
const Asked = z.object({
  /** Part of a name, of a number, or of what was written. */
  find: z.string().trim().min(1).max(100).optional().catch(undefined),
  /**
   * `event`: only events before this one. `sent`: only messages that were sent before this one. `none`:
   * there are no more.
   */
  event: z.string().max(100).optional().catch(undefined),
  sent: z.string().max(100).optional().catch(undefined),
})
type Asked = z.infer<typeof Asked>

/** Where no process reports arrivals to this one, a message is shown this late at most. */
const lookEachMs = 1000

/**
 * A number's messages of both directions, the newest first: did my message arrive? What comes is shown at
 * once.
 */
export const messages = new Hono<DashboardEnv>()
  .get("/numbers/:ref/messages/stream", async (c) => {
    const { bridge } = c.var
    const { find } = Asked.parse(c.req.query())
    const newEvents = newEventsOf(Receiver.first(bridge.id))
    const news = async () => await newEvents.next(lookEachMs, c.req.raw.signal)
    const following = EventFeed.follow(bridge, await streamStartOf(c, bridge), { types: ["message"] }, news)
    const nextPieces = async () => {
      const { value, done } = await following.next()
      if (done) return "over"
      const pieces = new Map<string, Piece>()
      for (const item of await found(c, cameItems(value.events), find))
        pieces.set(item.stored.event_id, {
          html: cameItem(bridge.customerRef, item),
          id: item.stored.event_id,
        })
      return pieces.set("position", { html: "", id: `after_${value.at}` })
    }
    return await live(c, 20, nextPieces, () => newEvents.end())
  })
  .get("/numbers/:ref/messages", async (c) => {
    const { bridge } = c.var
    const asked = Asked.parse(c.req.query())
    const lease = await Lease.get(bridge.id)
    // Read before the list: a message that comes in between is in the list and in the stream, and shown once.
    const from = await EventLists.newestNumber(bridge.id)
    const [came, went] = await Promise.all([cameOf(c, asked), wentOf(c, asked)])
    const events = lease && Choice.wire(lease.choice).events
    const hasUnseen = went.items.length > 0 && events?.includes("message_status") === false
    const mayLink = lease?.reported?.status === "unpaired" && c.var.me.mayChange
    const problems = [came.problem, went.problem].filter((problem) => problem !== undefined)
    const body = html`${problems.map((problem) => note("warn", problem))}
    ${hasUnseen ? withoutStatuses(bridge.customerRef) : ""} ${filterForm(bridge.customerRef, asked)}
    ${list(bridge.customerRef, asked, { came, went, from, mayLink })}`
    return await numberPage(c, "messages", { title: `Messages of ${bridge.customerRef}`, body })
  })

interface Source {
  items: Item[]
  /** The id behind which the list goes on; undefined if it ends here. */
  next?: string | undefined
  /** Why the list could not be read. */
  problem?: string
}

/** For how long a page reads on where a search has found less than a page, in ms. */
const searchMs = 1500

/**
 * Reads pages of a list until so much is found as a page has, the list is over, or it has taken too long.
 * @param began where it begins
 */
async function readOn(
  began: string | undefined,
  page: (behind: string | undefined) => Promise<Source>,
): Promise<Source> {
  const untilMs = performance.now() + searchMs
  const items: Item[] = []
  for (let behind = began; ;) {
    const read = await page(behind)
    items.push(...read.items)
    const isEnough = items.length >= perPage || performance.now() > untilMs
    if (isEnough || read.problem !== undefined || read.next === undefined) return { ...read, items }
    behind = read.next
  }
}

/** What came, and what was written on the phone: the events of messages. */
async function cameOf(c: Context<DashboardEnv>, { find, event: began }: Asked): Promise<Source> {
  if (began === "none") return { items: [] }
  return await readOn(began, async (behind) => {
    try {
      const from = EventRow.numberOf(behind ?? "")
      const asked = { types: ["message"], from, isNewestFirst: true, limit: perPage } as const
      const { events, next } = await EventFeed.page(c.var.bridge, asked)
      return { items: await found(c, cameItems(events), find), next }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { items: [], problem: `What came is not shown: ${bridgesAsNumbers(error.message)}.` }
    }
  })
}

function cameItems(events: StoredEvent[]) {
  return events.flatMap((stored) => {
    const { event } = stored
    return event.event === "message" ? { atMs: stored.created_at * 1000, stored, event } : []
  })
}

/** What the API has sent: only the session can read it. */
async function wentOf(c: Context<DashboardEnv>, { find, sent: began }: Asked): Promise<Source> {
  if (began === "none") return { items: [] }
  return await readOn(began, async (behind) => {
    const path = `/sent?${toQuery({ limit: perPage, after: behind })}`
    const said = await askSession(c, path, z.array(SentMessage), patienceMs)
    if (said.problem !== undefined)
      return { items: [], problem: `What was sent is not shown: ${said.problem}.` }
    const all = said.value.map((sent) => ({ atMs: sent.asked_at * 1000, sent }))
    const items = (await found(c, all, find)).map(async (item) => ({
      ...item,
      call: await callOf(c.var.accountId, item.sent),
    }))
    return { items: await Promise.all(items), next: said.next }
  })
}

type Unnamed = { sent: Sent } | { event: MessageEvent }

/**
 * These messages with the names of their people, or those of them in which a text stands as they are shown:
 * in a name, a number or the words.
 */
async function found<One extends Unnamed>(
  c: Context<DashboardEnv>,
  all: One[],
  text: string | undefined,
): Promise<(One & { nameOf: NameOf })[]> {
  const people = (one: Unnamed) =>
    "sent" in one ? [one.sent.chat_id] : [one.event.chat_id, one.event.contact_id]
  const nameOf = await namesOf(c, all.flatMap(people))
  const named = all.map((one) => ({ ...one, nameOf }))
  if (text === undefined) return named
  const wanted = text.toLowerCase()
  const digits = /^\+?[\d\s()./-]{3,}$/.test(text) ? text.replaceAll(/\D/g, "") : undefined
  return named.filter((one) => {
    const message = "sent" in one ? one.sent : one.event
    const [name, phone] = "sent" in one ? [undefined, ""] : [one.event.name, one.event.phone]
    const shown = [
      ...people(one),
      ...people(one).map((jid) => nameOf(jid)),
      name,
      phone,
      wordsOf(message),
      message.body,
    ]
    return shown.some(
      (part = "") =>
        part.toLowerCase().includes(wanted) ||
        (digits !== undefined && digits !== "" && part.includes(digits)),
    )
  })
}

/** Where the call that sent a message is listed. Calls that succeeded are not. */
async function callOf(accountId: string, sent: Sent): Promise<string | undefined> {
  const { request_id: requestId, status, asked_at } = sent
  if (requestId === undefined || (status !== "failed" && status !== "pending")) return undefined
  return await pathOfCall(accountId, { requestId, askedMs: asked_at * 1000 })
}

/**
 * The next page of both lists, and how many of each are on it. The page ends where all that was read of one
 * list is on it but that list goes on: its next messages may be newer than the rest of the other list. The
 * messages shown of each list are its first ones, whatever their times say, so that the next page leaves
 * nothing out.
 */
function merged(came: Source, went: Source): { items: Item[]; shown: [came: number, went: number] } {
  const items: Item[] = []
  let [ofCame, ofWent] = [0, 0]
  while (items.length < perPage) {
    const [one, other] = [came.items[ofCame], went.items[ofWent]]
    if ((!one && came.next !== undefined) || (!other && went.next !== undefined)) break
    if (one && (!other || isNewer(one, other))) {
      items.push(one)
      ofCame++
    } else if (other) {
      items.push(other)
      ofWent++
    } else break
  }
  return { items, shown: [ofCame, ofWent] }
}

/**
 * Whether a message came after another was sent. Times are of whole seconds; how many events there were
 * before a send tells the order within one.
 */
function isNewer(one: Item, other: Item): boolean {
  if (!("stored" in one) || !("sent" in other)) return one.atMs > other.atMs
  const before = other.sent.events_before
  const n = EventRow.numberOf(one.stored.event_id)
  return before === undefined || n === undefined ? one.atMs > other.atMs : n > before
}

/** Where a list goes on after a page: behind an id; `none`: it is over; undefined: at its beginning. */
function goesOn(
  { items, next, problem }: Source,
  shown: number,
  began: string | undefined,
): string | undefined {
  if (problem !== undefined) return began
  if (shown === items.length) return next ?? "none"
  const last = items[shown - 1]
  if (!last) return began
  return "sent" in last ? last.sent.message_id : last.stored.event_id
}

function list(
  ref: string,
  asked: Asked,
  { came, went, from, mayLink }: { came: Source; went: Source; from: number; mayLink: boolean },
): Html {
  const { items, shown } = merged(came, went)
  const isFirst = asked.event === undefined && asked.sent === undefined
  const [event, sent] = [goesOn(came, shown[0], asked.event), goesOn(went, shown[1], asked.sent)]
  const hasMore =
    (came.problem === undefined && event !== "none") || (went.problem === undefined && sent !== "none")
  const next = toQuery({ find: asked.find, event, sent })
  const stream = `/numbers/${ref}/messages/stream?${toQuery({ find: asked.find, from })}`
  return html`<section
      class="card flush"
      ${isFirst ? html`data-stream="${stream}"` : ""}
      aria-label="Messages"
    >
      <header>
        <h2>${isFirst ? "Latest messages" : "Earlier messages"}</h2>
        <p>
          Messages sent through the API are listed for 30 days, others for 7, or 30 if your webhook did not
          get them. Calls that were refused before they sent anything are under
          <a href="/requests?refused=true">Requests</a>.
        </p>
      </header>
      ${items.length === 0 ? nothing(ref, asked, { hasMore, mayLink }) : ""}
      <ul class="feed" id="messages">
        ${items.map((item) => ("sent" in item ? sentItem(ref, item) : cameItem(ref, item)))}
      </ul>
    </section>
    ${nextPage(hasMore ? `/numbers/${ref}/messages?${next}` : undefined, "Earlier messages")}`
}

function withoutStatuses(ref: string): Html {
  return note(
    "info",
    html`Whether a message was delivered and read is recorded only for messages that are sent while
      <code>message_status</code> is among the events of this number: choose it in the
      <a href="/numbers/${ref}/settings">settings</a>. Without it, “Sent” says that the network has it.`,
  )
}

function filterForm(ref: string, { find = "" }: Asked): Html {
  const about = "Part of a name, a number, or what was written"
  return html`<form class="inline" method="get" action="/numbers/${ref}/messages" aria-label="Filter">
    ${field("Find", { name: "find", type: "search", value: find, placeholder: about, maxlength: 100 }, { width: "roomy" })}
    <div class="row">
      <button class="button">Find</button>
      ${find === "" ? "" : html`<a href="/numbers/${ref}/messages">Show all</a>`}
    </div>
  </form>`
}

function nothing(
  ref: string,
  { find }: Asked,
  { hasMore, mayLink }: { hasMore: boolean; mayLink: boolean },
): Html {
  const wantsPhone = mayLink && !hasMore && find === undefined
  const sentence =
    find === undefined
      ? hasMore
        ? "None among the latest that were looked at. Look at earlier ones below."
        : wantsPhone
          ? "No phone is linked, so nothing can arrive."
          : "Each message that comes or is sent appears here."
      : html`No name, no number and no words have “<bdi>${find}</bdi>” in
        ${hasMore ? "the latest messages that were looked at. Look at earlier ones below." : "any message that is kept."}`
  return empty({
    id: "messages-empty",
    icon: "inbox",
    title: find === undefined ? "No message yet" : "No such message",
    about: sentence,
    action: wantsPhone ? html`<a class="button main" href="/numbers/${ref}/connect">Link a phone</a>` : "",
  })
}

/** A person or a group by name, and the number beside a name. */
function who(jid: string, name: string): Html {
  const number = numberOf(jid)
  return html`<b><bdi>${name}</bdi></b
    >${name === number ? "" : html` <span class="muted">${number}</span>`}`
}

/** The picture that shows at a glance what kind of message it is; nothing for a text. */
function kindIcon({ media_type, type }: Pick<Sent, "media_type" | "type">): Html | string {
  const icons = {
    image: "picture",
    sticker: "picture",
    video: "film",
    audio: "voice",
    voice: "voice",
  } as const
  if (media_type === "document") return icon("file")
  if (media_type !== "") return icon(icons[media_type])
  if (type === "contact") return icon("card")
  return type === "location" ? icon("place") : type === "poll" ? icon("chart") : ""
}

/** A message that was sent. `call`: where its call is listed, if it is. */
function sentItem(ref: string, { sent, call, nameOf }: Extract<Item, { sent: Sent }>): Html {
  const counts = sent.counts
  return html`<li class="line" id="${sent.message_id}">
    ${sentMark(sent.status)}
    <div class="about whole">
      <p>to ${who(sent.chat_id, nameOf(sent.chat_id))}: ${kindIcon(sent)} <bdi>${wordsOf(sent)}</bdi></p>
      ${sent.reason === undefined ? "" : html`<p>${sentenceForPeople(sent.reason)}</p>`}
      ${
        sent.status === "pending"
          ? html`<p class="small muted">
              It may have left; the network has not said that it has it. The same call with the same
              <code>Idempotency-Key</code> finds out.
            </p>`
          : ""
      }
      ${
        counts
          ? html`<p class="small muted">
              Delivered to ${counts.delivered} of ${counts.recipients}, read by ${counts.read}.
            </p>`
          : ""
      }
      <p class="small row">
        <a href="${pathOfMessage(ref, sent.message_id)}"
          >Where it is<span class="hidden"> ${sent.message_id}</span></a
        >
        ${call === undefined ? "" : html`<a href="${call}">Its request</a>`}
      </p>
      <details class="plain small">
        <summary>Ids</summary>
        <p class="row">message ${copyable(sent.message_id)}</p>
        ${sent.request_id === undefined ? "" : html`<p class="row">request ${copyable(sent.request_id)}</p>`}
      </details>
    </div>
    <span class="small muted">${ago(sent.asked_at * 1000)}</span>
  </li>`
}

/** A message that came, or was written on the phone. */
function cameItem(ref: string, { stored, event, nameOf }: Extract<Item, { event: MessageEvent }>): Html {
  const { event_id, state, created_at } = stored
  const [tone, word] = marks[state]
  const { chat_id: chat, contact_id: contact, from_me, is_group, name } = event
  const to = who(chat, nameOf(chat))
  return html`<li class="line" id="${event_id}" data-into="messages">
    <span class="state ${tone}">${state === "inbox" ? "Kept here" : `Webhook: ${word}`}</span>
    <div class="about whole">
      <p>
        ${from_me ? html`from the phone to ${to}` : html`from ${who(contact, nameOf(contact, name))}`}${is_group && !from_me ? html` in ${to}` : ""}:
        ${kindIcon(event)} <bdi>${wordsOf(event)}</bdi>
      </p>
      <p class="small">
        <a href="/numbers/${ref}/events/${event_id}">Where it is<span class="hidden"> ${event_id}</span></a>
      </p>
    </div>
    <span class="small muted">${ago(created_at * 1000)}</span>
  </li>`
}
