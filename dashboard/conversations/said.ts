import type { Context } from "hono"
import { z } from "zod"
import { KeptMessage } from "#contract/chat.ts"
import { Counts } from "#contract/message-events.ts"
import type { StoredEvent } from "#contract/stored-event.ts"
import { Choice } from "#core/bridge/choice.ts"
import { ApiError } from "#core/error.ts"
import { EventFeed } from "#core/event/event-feed.ts"
import { EventRow } from "#core/event/event-row.ts"
import { Lease } from "#core/lease/lease.ts"
import { toQuery } from "../answer.ts"
import { bridgesAsNumbers } from "../api-words.ts"
import type { DashboardEnv } from "../guard.ts"
import { askSession } from "../numbers/session-answer.ts"

/** A message of a chat, whoever wrote it, and what became of it, if the API sent it. */
export const Said = KeptMessage.extend({
  status: z.enum(["pending", "sent", "delivered", "read", "played", "failed", "received"]).optional(),
  counts: Counts.optional(),
  reason: z.string().optional(),
})
export type Said = z.infer<typeof Said> & {
  /**
   * Its place among the events: the number of its own, or, of what was sent, behind that of the last one
   * before it. Clocks differ, and have whole seconds. Not known of what is kept.
   */
  n?: number
}

/** What was sent, as the session says it. */
export const Sent = Said.extend({ events_before: z.number() }).transform(
  ({ events_before, ...said }): Said => ({ ...said, n: events_before + 0.5 }),
)

/** The events that a chat shows. */
export const shownTypes = ["message", "poll_vote", "event_response"] as const

/** How long a page waits for the session, in ms: without it, the page has what events hold. */
export const patienceMs = 900

/** Somebody's vote in a poll, or answer to an event message. */
export interface Vote {
  /** The message that it is about. */
  about: string
  id: string
  who: { jid: string; name: string }
  words: string
}

/** A part of a chat, the newest first. */
export interface Part {
  said: Said[]
  votes: Vote[]
  /** Where the part before it begins; undefined: there is none. */
  next?: string | undefined
  /** Whether it is of the messages that are kept, or of the last days' events and of what was sent. */
  isKept: boolean
  /** Why something is missing. */
  problem?: string | undefined
}

const perPart = 50

/** Whether a number keeps its messages. */
export async function keeps(c: Context<DashboardEnv>): Promise<boolean> {
  const lease = await Lease.get(c.var.bridge.id)
  return lease !== undefined && Choice.wire(lease.choice).keep !== null
}

/** A part of a chat (a JID or digits), the newest messages first. `before`: `next` of the part behind it. */
export async function partOf(
  c: Context<DashboardEnv>,
  chat: string,
  { before, until }: { before?: string | undefined; until?: number | undefined },
): Promise<Part> {
  if (!(await keeps(c))) return await recentOf(c, chat, before)
  const path = `/chats/${encodeURIComponent(chat)}/messages?${toQuery({ limit: perPart, after: before, until })}`
  const kept = await askSession(c, path, z.array(Said), patienceMs)
  // What came before keeping was chosen takes a moment to be kept.
  const isThere = kept.problem === undefined && kept.value.length > 0
  if (before === undefined && !isThere) return await recentOf(c, chat, before)
  if (kept.problem !== undefined) {
    const problem = `What is kept is not shown: ${kept.problem}`
    return { said: [], votes: [], next: before, isKept: true, problem }
  }
  const { votes } = before === undefined ? await cameOf(c, { chat, limit: perPart }) : { votes: [] }
  return { said: kept.value, votes, next: kept.next, isKept: true }
}

/** Each list goes on behind an id; `""`: at its beginning; `-`: it is over. */
const Cursor = z.string().regex(/^[\w.-]{0,200}~[\w.-]{0,200}$/)

/** What the events of the last days have, and the list of what was sent, as one. */
async function recentOf(c: Context<DashboardEnv>, chat: string, from: string | undefined): Promise<Part> {
  const [event = "", sent = ""] = (Cursor.safeParse(from).data ?? "~").split("~")
  const [came, went] = await Promise.all([
    cameOf(c, { chat, from: event, limit: perPart }),
    wentOf(c, { chat, from: sent, limit: perPart }),
  ])
  const { said, shown } = merged(came, went, perPart)
  const ends = [goesOn(came, shown.came, event), goesOn(went, shown.went, sent)]
  return {
    said,
    votes: came.votes,
    next: ends.every((end) => end === "-") ? undefined : ends.join("~"),
    isKept: false,
    problem: came.problem ?? went.problem,
  }
}

/** One of the two lists, from some place on. */
interface Source {
  /** Newest first; `id`: behind which the list goes on. */
  items: { said: Said; id: string }[]
  /** The id behind the last of these; undefined: the list is over. */
  next?: string | undefined
  problem?: string | undefined
}

/** What came, and what was written on the phone. */
export async function cameOf(
  c: Context<DashboardEnv>,
  asked: { chat?: string; from?: string; limit: number },
): Promise<Source & { votes: Vote[] }> {
  const { chat, from = "", limit } = asked
  if (from === "-") return { items: [], votes: [] }
  try {
    const wanted = { types: shownTypes, isNewestFirst: true, limit }
    const page = await EventFeed.page(c.var.bridge, { ...wanted, chat, from: EventRow.numberOf(from) })
    const items = page.events.flatMap(({ event, event_id: id }) =>
      event.event === "message" ? [{ said: { ...event, n: EventRow.numberOf(id) ?? 0 }, id }] : [],
    )
    return { items, votes: page.events.flatMap(({ event }) => voteOf(event) ?? []), next: page.next }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { items: [], votes: [], problem: `What came is not shown: ${bridgesAsNumbers(error.message)}` }
  }
}

/** What was sent here and through the API: only the session can read it. */
export async function wentOf(
  c: Context<DashboardEnv>,
  { chat, from = "", limit }: { chat?: string; from?: string; limit: number },
): Promise<Source> {
  if (from === "-") return { items: [] }
  const path = `/said?${toQuery({ limit, chat, after: from || undefined })}`
  const { value = [], ...sent } = await askSession(c, path, z.array(Sent), patienceMs)
  if (sent.problem !== undefined) return { items: [], problem: `What was sent is not shown: ${sent.problem}` }
  return {
    items: value.map((said) => ({ said, id: said.message_id })),
    next: sent.next,
  }
}

/**
 * The next messages of both lists, and how many of each they are. It ends where one list has been shown but
 * goes on: its next messages may be newer than the rest of the other.
 */
export function merged(came: Source, went: Source, most = Infinity) {
  const said: Said[] = []
  const shown = { came: 0, went: 0 }
  while (said.length < most) {
    const [one, other] = [came.items[shown.came], went.items[shown.went]]
    if ((!one && came.next !== undefined) || (!other && went.next !== undefined)) break
    const newest = one && (!other || one.said.n! > other.said.n!) ? one : other // both have it
    if (!newest) break
    said.push(newest.said)
    shown[newest === one ? "came" : "went"]++
  }
  return { said, shown }
}

/** Where a list that began behind `from` goes on, if so many of its messages were shown. */
function goesOn({ items, next, problem }: Source, shown: number, from: string): string {
  if (problem !== undefined) return from
  return shown < items.length ? (items[shown - 1]?.id ?? from) : (next ?? "-")
}

export function voteOf(event: StoredEvent["event"]): Vote | undefined {
  if (event.event === "poll_vote")
    return {
      about: event.poll_id,
      id: `${event.poll_id}-${event.contact_id}`,
      who: { jid: event.contact_id, name: event.name },
      words: event.selected_options.join(", ") || "nothing any more",
    }
  if (event.event !== "event_response") return undefined
  return {
    about: event.event_id,
    id: `${event.event_id}-${event.contact_id}`,
    who: { jid: event.contact_id, name: event.name },
    words: { going: "is coming", not_going: "is not coming", maybe: "may come", unknown: "answered" }[
      event.response
    ],
  }
}

/** A message as it is shown: with the reactions to it, and what it says after its edits. */
export interface Shown extends Said {
  reactions: Said[]
  isEdited?: boolean
}

/** Whether a message only changes another one. */
export function isChangeOfOther({ edit, target_id, message_id }: Said): boolean {
  return (edit === "edit" || edit === "revoke") && target_id !== undefined && target_id !== message_id
}

/**
 * The messages of a part (newest first) as people see them, oldest first: what changes a message, or reacts
 * to it, is at that message, if the part has it.
 */
export function folded(said: Said[]): Shown[] {
  const shown: Shown[] = []
  const withId = new Map<string, Shown[]>()
  for (const one of said.toReversed()) {
    const targets = one.target_id === undefined ? [] : (withId.get(one.target_id) ?? [])
    const target = targets.find((each) => isMeant(each, one)) ?? targets[0]
    if (one.reaction && target) react(target, one)
    else if (isChangeOfOther(one) && target) change(target, one)
    else {
      const made = { ...one, reactions: [], isEdited: one.edit === "edit" }
      const same = withId.get(one.message_id) ?? []
      const former = same.find((each) => isBySame(each, one))
      if (former) Object.assign(former, made)
      else {
        shown.push(made)
        withId.set(one.message_id, [...same, made])
      }
    }
  }
  return shown
}

/** People choose the ids of their messages: two may have the same. */
function isBySame(one: Said, other: Said): boolean {
  return one.from_me === other.from_me && (one.from_me || one.contact_id === other.contact_id)
}

/** Whether a reaction names the writer of this message, or a change is by its writer. */
function isMeant(target: Said, { reaction: reacted, ...by }: Said): boolean {
  return reacted ? target.contact_id === reacted.contact_id : isBySame(target, by)
}

function react(target: Shown, by: Said): void {
  const others = target.reactions.filter(
    (one) => one.contact_id !== by.contact_id || one.from_me !== by.from_me,
  )
  target.reactions = by.reaction?.emoji ? [...others, by] : others
}

function change(target: Shown, { edit, body, caption }: Said): void {
  if (edit === "revoke")
    Object.assign(target, { edit, target_id: undefined, body: "", media_type: "", type: "text" })
  else Object.assign(target, { body, ...(caption !== undefined && { caption }), isEdited: true })
}
