import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { ChatId } from "#contract/field-types.ts"
import { SentMessage } from "#contract/message.ts"
import type { StoredEvent } from "#contract/stored-event.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
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
import { chatField, copyable, empty, type Html, nextPage, note } from "../elements.ts"
import { marks } from "../events/event-outcomes.ts"
import { streamStartOf } from "../events/events.ts"
import { wordsOf } from "../events/message-words.ts"
import type { DashboardEnv } from "../guard.ts"
import { live, type Piece } from "../live.ts"
import { askSession, phoneOrJid } from "../numbers/session-answer.ts"
import { pathOfCall } from "../requests.ts"
import { ago } from "../times.ts"

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
  | { atMs: number; sent: Sent; call?: string | undefined }
  | { atMs: number; stored: StoredEvent; event: MessageEvent }

/** Where a page begins, in each of its two lists. Parts that cannot be understood are left out. */
const Asked = z.object({
  chat: z
    .string()
    .trim()
    .refine((text) => ChatId.safeParse(text).success)
    .optional()
    .catch(undefined),
  /**
   * `event`: only events before this one. `sent`: only messages that were sent before this one. `none`: there
   * are no more.
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
    const { chat } = Asked.parse(c.req.query())
    const newEvents = newEventsOf(Receiver.first(bridge.id))
    const news = async () => await newEvents.next(lookEachMs, c.req.raw.signal)
    const following = EventFeed.follow(
      bridge,
      await streamStartOf(c, bridge),
      { types: ["message"], chat },
      news,
    )
    const nextPieces = async () => {
      const { value, done } = await following.next()
      if (done) return "over"
      const pieces = new Map<string, Piece>()
      for (const stored of value.events) {
        const { event } = stored
        if (event.event === "message")
          pieces.set(stored.event_id, {
            html: cameItem(bridge.customerRef, stored, event),
            id: stored.event_id,
          })
      }
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
    const [came, went] = await Promise.all([cameOf(bridge, asked), wentOf(c, asked)])
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

/** What came, and what was written on the phone: the events of messages. */
async function cameOf(bridge: Bridge.Info, { chat, event: behind }: Asked): Promise<Source> {
  if (behind === "none") return { items: [] }
  const from = EventRow.numberOf(behind ?? "")
  try {
    const asked = { type: "message", chat, from, isNewestFirst: true, limit: perPage } as const
    const { events, next } = await EventFeed.page(bridge, asked)
    const items = events.flatMap((stored) => {
      const { event } = stored
      return event.event === "message" ? { atMs: stored.created_at * 1000, stored, event } : []
    })
    return { items, next }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { items: [], problem: `What came is not shown: ${bridgesAsNumbers(error.message)}.` }
  }
}

/** What the API has sent: only the session can read it. */
async function wentOf(c: Context<DashboardEnv>, { chat, sent: behind }: Asked): Promise<Source> {
  if (behind === "none") return { items: [] }
  const path = `/sent?${toQuery({ limit: perPage, chat, after: behind })}`
  const said = await askSession(c, path, z.array(SentMessage), patienceMs)
  if (said.problem !== undefined)
    return { items: [], problem: `What was sent is not shown: ${said.problem}.` }
  const items = said.value.map(async (sent) => ({
    atMs: sent.asked_at * 1000,
    sent,
    call: await callOf(c.var.accountId, sent),
  }))
  return { items: await Promise.all(items), next: said.next }
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
    if (one && (!other || one.atMs >= other.atMs)) {
      items.push(one)
      ofCame++
    } else if (other) {
      items.push(other)
      ofWent++
    } else break
  }
  return { items, shown: [ofCame, ofWent] }
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
  const next = toQuery({ chat: asked.chat, event, sent })
  const stream = `/numbers/${ref}/messages/stream?${toQuery({ chat: asked.chat, from })}`
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
        ${items.map((item) => ("sent" in item ? sentItem(item.sent, item.call) : cameItem(ref, item.stored, item.event)))}
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

function filterForm(ref: string, { chat }: Asked): Html {
  return html`<form class="inline" method="get" action="/numbers/${ref}/messages" aria-label="Filter">
    ${chatField(chat)}
    <div class="row">
      <button class="button">Filter</button>
      ${chat === undefined ? "" : html`<a href="/numbers/${ref}/messages">Show all</a>`}
    </div>
  </form>`
}

function nothing(
  ref: string,
  { chat }: Asked,
  { hasMore, mayLink }: { hasMore: boolean; mayLink: boolean },
): Html {
  const wantsPhone = mayLink && !hasMore && chat === undefined
  const sentence = hasMore
    ? "None among the latest that were looked at. Look at earlier ones below."
    : chat === undefined
      ? wantsPhone
        ? "No phone is linked, so nothing can arrive."
        : "Each message that comes or is sent appears here."
      : "Nothing that is kept is of this chat."
  return empty({
    id: "messages-empty",
    icon: "inbox",
    title: chat === undefined ? "No message yet" : "No such message",
    about: sentence,
    action: wantsPhone ? html`<a class="button main" href="/numbers/${ref}/connect">Link a phone</a>` : "",
  })
}

const outcomes: Record<Sent["status"], readonly [kind: string, word: string]> = {
  pending: ["warn", "Not confirmed"],
  sent: ["good", "Sent"],
  delivered: ["good", "Delivered"],
  read: ["good", "Read"],
  played: ["good", "Played"],
  failed: ["bad", "Failed"],
  received: ["good", "Received"],
}

/** A message that was sent. `call`: where its call is listed, if it is. */
function sentItem(sent: Sent, call: string | undefined): Html {
  const [kind, word] = outcomes[sent.status]
  const counts = sent.counts
  return html`<li class="line" id="${sent.message_id}">
    <span class="state ${kind}">${word}</span>
    <div class="about whole">
      <p>
        to <b><bdi>${phoneOrJid(sent.chat_id)}</bdi></b
        >: <bdi>${wordsOf(sent)}</bdi>
      </p>
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
      <div class="small muted row">
        <span class="row">message ${copyable(sent.message_id)}</span>
        ${sent.request_id === undefined ? "" : html`<span class="row">by ${call === undefined ? "the request" : html`<a href="${call}">this request</a>`} ${copyable(sent.request_id)}</span>`}
      </div>
    </div>
    <span class="small muted">${ago(sent.asked_at * 1000)}</span>
  </li>`
}

/** A message that came, or was written on the phone. */
function cameItem(ref: string, { event_id, state, created_at }: StoredEvent, event: MessageEvent): Html {
  const [tone, word] = marks[state]
  const who = event.from_me ? phoneOrJid(event.chat_id) : event.name || phoneOrJid(event.contact_id)
  return html`<li class="line" id="${event_id}" data-into="messages">
    <span class="state ${tone}">${state === "inbox" ? "No webhook" : `Webhook: ${word}`}</span>
    <div class="about whole">
      <p>
        ${event.from_me ? "from the phone to" : "from"} <b><bdi>${who}</bdi></b
        >${event.is_group && !event.from_me ? html` in <bdi>${event.chat_id}</bdi>` : ""}:
        <bdi>${wordsOf(event)}</bdi>
      </p>
      <p class="small">
        <a href="/numbers/${ref}/events/${event_id}"
          >Delivery details<span class="hidden"> ${event_id}</span></a
        >
      </p>
    </div>
    <span class="small muted">${ago(created_at * 1000)}</span>
  </li>`
}
