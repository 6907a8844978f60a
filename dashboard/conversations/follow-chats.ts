import type { Context } from "hono"
import type { StoredEvent } from "#contract/stored-event.ts"
import { EventFeed } from "#core/event/event-feed.ts"
import { EventRow } from "#core/event/event-row.ts"
import { newEventsOf } from "#core/event/new-events.ts"
import { Receiver } from "#core/event/receiver.ts"
import { toJid } from "#core/message/jid.ts"
import { isSameSpelt } from "#core/message/spellings.ts"
import { nowMs } from "#core/platform/clock.ts"
import { streamStartOf } from "../events/events.ts"
import type { DashboardEnv } from "../guard.ts"
import { live, type Piece } from "../live.ts"
import { bubble, reaction, text, vote } from "./bubble.ts"
import { add, chatItem, chatList, type Entry } from "./chat-list.ts"
import { namesOf } from "./chat-name.ts"
import { isChangeOfOther, type Said, shownTypes, voteOf } from "./said.ts"
import { followSends } from "./sent-news.ts"
import { chatOf, handoverOf, peopleIn, who } from "./thread.ts"

/** By how much the times of what came and of what was sent may differ, in seconds. */
const clocksDiffer = 3

/** Where no process reports arrivals to this one, a message is shown this late at most. */
const lookEachMs = 1000

/**
 * What comes and what is sent, and how far that has come, in every chat of a number: as items of the list,
 * and as bubbles of the chat that is open.
 */
export async function followChats(c: Context<DashboardEnv>, asked: string | undefined): Promise<Response> {
  const open = asked === undefined ? undefined : toJid(asked)
  const over = new AbortController()
  const shown = await shownIn(c, open)
  const sources = [await arrivals(c, shown, over.signal), sends(c, shown, over.signal)]
  const begin = (at: number) => {
    const begun = sources[at]!().then((pieces) => ({ at, pieces })) // of this place
    // Whoever asks next is told of it.
    begun.catch(() => {})
    return begun
  }
  const pending = sources.map((_, at) => begin(at))
  const nextPieces = async () => {
    const { at, pieces } = await Promise.race(pending)
    if (pieces === "over") return "over"
    pending[at] = begin(at)
    return pieces
  }
  return await live(c, 0, nextPieces, () => over.abort())
}

type Next = () => Promise<Map<string, Piece> | "over">

/** Makes the pieces of a message, for the list and for the chat that is open. */
type Show = (said: Said, isNew: boolean) => Promise<[string, Piece][]>

async function shownIn(c: Context<DashboardEnv>, open: string | undefined) {
  const ref = c.var.bridge.customerRef
  const list = await chatList(c)
  const chats = new Map<string, Entry>(list.entries.map((entry) => [entry.jid, entry]))
  // The address of a page may spell a number as the network does not.
  const isOpen = (jid: string) => open !== undefined && isSameSpelt(jid, open)
  const show: Show = async (said, isNew) => {
    const nameOf = await namesOf(c, [said.chat_id, ...peopleIn([said])])
    const { last, lastAt = 0 } = chats.get(said.chat_id) ?? {}
    // A page that comes back is told of earlier ones, too. The network's clock and ours differ by a little.
    const isLater =
      said.n !== undefined && last?.n !== undefined ? said.n > last.n : said.timestamp > lastAt - clocksDiffer
    const isLast = last?.message_id === said.message_id || (isNew && isLater)
    const entry = isLast ? add(chats, said) : undefined
    const item: [string, Piece][] = entry
      ? [[`chat ${entry.jid}`, { html: chatItem(ref, entry, nameOf, open) }]]
      : []
    if (open === undefined || !isOpen(said.chat_id)) return item
    const chat = await chatOf(c, open, peopleIn([said]))
    return [...item, [`message ${said.message_id}`, { html: await messagePiece(said, chat) }]]
  }
  const handover = async (): Promise<[string, Piece][]> => {
    if (open === undefined) return []
    const [until, chat] = await Promise.all([handoverOf(c, open), chatOf(c, open, [])])
    const entry = chats.get(open)
    if (entry) entry.handoverUntil = until
    const item = entry && chatItem(ref, entry, chat.nameOf, open)
    return [
      ["handover", { html: who(chat, until) }],
      ...(item ? [[`chat ${open}`, { html: item }] as [string, Piece]] : []),
    ]
  }
  return { isOpen, show, handover }
}

type Shown = Awaited<ReturnType<typeof shownIn>>

/** A message as a bubble; a change of another one, as what it changes there. */
async function messagePiece(said: Said, chat: Awaited<ReturnType<typeof chatOf>>) {
  const { edit, target_id = "", body, caption } = said
  if (said.reaction) return reaction(said, chat)
  if (!isChangeOfOther(said)) return bubble({ ...said, reactions: [], isEdited: edit === "edit" }, chat)
  if (edit === "revoke") return bubble({ ...said, message_id: target_id, reactions: [] }, chat)
  return text({ ...said, type: "text", message_id: target_id, body: caption ?? body, isEdited: true })
}

/** What came, and what was written on the phone. */
async function arrivals(c: Context<DashboardEnv>, shown: Shown, over: AbortSignal): Promise<Next> {
  const { bridge } = c.var
  const newEvents = newEventsOf(Receiver.first(bridge.id))
  over.addEventListener("abort", () => newEvents.end())
  const news = async () => await newEvents.next(lookEachMs, over)
  const types = { types: shownTypes }
  const following = EventFeed.follow(bridge, await streamStartOf(c, bridge), types, news)
  return async () => {
    const { value, done } = await following.next()
    if (done || over.aborted) return "over"
    const pieces = new Map<string, Piece>()
    for (const stored of value.events)
      for (const [key, piece] of await piecesOf(c, stored, shown)) pieces.set(key, piece)
    return pieces.set("position", { html: "", id: `after_${value.at}` })
  }
}

async function piecesOf(
  c: Context<DashboardEnv>,
  { event, event_id: id }: StoredEvent,
  shown: Shown,
): Promise<[string, Piece][]> {
  if (event.event === "message") return await shown.show({ ...event, n: EventRow.numberOf(id) ?? 0 }, true)
  const cast = voteOf(event)
  if (!cast || !("chat_id" in event) || !shown.isOpen(event.chat_id)) return []
  return [[`vote ${cast.id}`, { html: vote(cast, await chatOf(c, event.chat_id, [cast.who.jid])) }]]
}

/** What was sent here and through the API, and how far it has come. */
function sends(c: Context<DashboardEnv>, shown: Shown, over: AbortSignal): Next {
  const following = followSends(c.var, Number(c.req.query("at")) || nowMs())
  over.addEventListener("abort", following.end)
  const told = new Set<string>()
  let isAnswered = false
  return async () => {
    // Whoever answers by hand hands the chat over; the message itself is shown first.
    if (isAnswered) {
      isAnswered = false
      return new Map(await shown.handover())
    }
    const all = await following.next()
    if (over.aborted) return "over"
    const pieces = new Map<string, Piece>()
    for (const said of all) {
      const isNew = !told.has(said.message_id)
      for (const [key, piece] of await shown.show(said, isNew)) pieces.set(key, piece)
      isAnswered ||= isNew && shown.isOpen(said.chat_id)
      told.add(said.message_id)
    }
    return pieces
  }
}
