import type { Context } from "hono"
import { z } from "zod"
import type { StoredEvent } from "#contract/stored-event.ts"
import { ApiError } from "#core/error.ts"
import { EventFeed } from "#core/event/event-feed.ts"
import { newEventsOf } from "#core/event/new-events.ts"
import { Receiver } from "#core/event/receiver.ts"
import { callHost } from "#core/lease/call-host.ts"
import { isThroughLambda } from "#core/lease/call-through-lambda.ts"
import { Lease } from "#core/lease/lease.ts"
import { toJid } from "#core/message/jid.ts"
import { toQuery } from "../answer.ts"
import { streamStartOf } from "../events/events.ts"
import type { DashboardEnv } from "../guard.ts"
import { live, type Piece } from "../live.ts"
import { bubble, reaction, text, vote } from "./bubble.ts"
import { add, chatItem, chatList, type Entry } from "./chat-list.ts"
import { namesOf } from "./chat-name.ts"
import { isChangeOfOther, patienceMs, type Said, Said as SaidSchema, shownTypes, voteOf } from "./said.ts"
import { chatOf, handoverOf, peopleIn, who } from "./thread.ts"

/** Where no process reports arrivals to this one, a message is shown this late at most. */
const lookEachMs = 1000
/** How long a session is asked to wait for news of what was sent, in ms: `longestWaitMs` there. */
const waitMs = 2000

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
  const show: Show = async (said, isNew) => {
    const nameOf = await namesOf(c, [said.chat_id, ...peopleIn([said])])
    const isLast = isNew || chats.get(said.chat_id)?.last?.message_id === said.message_id
    const entry = isLast ? add(chats, said) : undefined
    const item: [string, Piece][] = entry
      ? [[`chat ${entry.jid}`, { html: chatItem(ref, entry, nameOf, open) }]]
      : []
    if (said.chat_id !== open) return item
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
  return { open, show, handover }
}

type Shown = Awaited<ReturnType<typeof shownIn>>

/** A message as a bubble; a change of another one, as what it changes there. */
async function messagePiece(said: Said, chat: Awaited<ReturnType<typeof chatOf>>) {
  const { edit, target_id = "", body, caption } = said
  if (said.reaction) return reaction(said, chat)
  if (!isChangeOfOther(said)) return bubble({ ...said, reactions: [], isEdited: edit === "edit" }, chat)
  if (edit === "revoke") return bubble({ ...said, message_id: target_id, reactions: [] }, chat)
  return text({ type: "text", message_id: target_id, body: caption ?? body, isEdited: true })
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
    for (const { event } of value.events)
      for (const [key, piece] of await piecesOf(c, event, shown)) pieces.set(key, piece)
    return pieces.set("position", { html: "", id: `after_${value.at}` })
  }
}

async function piecesOf(
  c: Context<DashboardEnv>,
  event: StoredEvent["event"],
  shown: Shown,
): Promise<[string, Piece][]> {
  if (event.event === "message") return await shown.show(event, true)
  const cast = voteOf(event)
  if (!cast || !("chat_id" in event) || event.chat_id !== shown.open) return []
  return [[`vote ${cast.id}`, { html: vote(cast, await chatOf(c, event.chat_id, [cast.who.jid])) }]]
}

/** What was sent here and through the API, and how far it has come: the session says so at once. */
function sends(c: Context<DashboardEnv>, shown: Shown, over: AbortSignal): Next {
  let after: string | undefined
  let isAnswered = false
  const told = new Set<string>()
  return async () => {
    // Whoever answers by hand hands the chat over; the message itself is shown first.
    if (isAnswered) {
      isAnswered = false
      return new Map(await shown.handover())
    }
    const news = await newsAfter(c, after)
    if (over.aborted) return "over"
    if (!news || isThroughLambda()) await pause(lookEachMs, over)
    after = news?.at ?? after
    const pieces = new Map<string, Piece>()
    for (const said of news?.said ?? []) {
      for (const [key, piece] of await shown.show(said, !told.has(said.message_id))) pieces.set(key, piece)
      isAnswered ||= said.chat_id === shown.open && !told.has(said.message_id)
      told.add(said.message_id)
    }
    return pieces
  }
}

/** The session's news behind these, as soon as there are some; undefined while it does not answer. */
async function newsAfter(c: Context<DashboardEnv>, after: string | undefined) {
  const { bridge, requestId } = c.var
  // On Lambda each call that waits would hold a function.
  const wait_ms = after === undefined || isThroughLambda() ? 0 : waitMs
  const path = `/said/news?${toQuery({ after, wait_ms })}`
  const lease = await Lease.get(bridge.id)
  // A session that sleeps is not woken for a reader.
  if (!lease || !Lease.isHeld(lease)) return undefined
  try {
    const call = { method: "GET", bridgeId: bridge.id, requestId, path } as const
    const answer = await callHost(lease, call, waitMs + patienceMs)
    if (typeof answer === "string" || answer.status !== 200) return undefined
    const said = z.array(SaidSchema).parse(JSON.parse(Buffer.from(answer.body).toString()))
    return { said, at: String(answer.headers["x-next-after"]) }
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

async function pause(ms: number, over: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  over.addEventListener("abort", () => resolve(), { once: true })
  await promise
  clearTimeout(timer)
}
