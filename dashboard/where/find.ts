import { z } from "zod"
import { KeptMessage } from "#contract/chat.ts"
import { Message, SentMessage } from "#contract/message.ts"
import type { StoredEvent } from "#contract/stored-event.ts"
import { RequestLog } from "#core/account/request-log.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { EventSearch } from "#core/event/event-search.ts"
import { folded } from "#core/event/folded.ts"
import { Idempotency } from "#core/message/idempotency.ts"
import { Slots } from "#core/platform/slots.ts"
import { toQuery } from "../answer.ts"
import { askSession } from "../numbers/session-answer.ts"
import { numberIn } from "../requests.ts"
import type { Asked } from "./asked.ts"

type Sent = z.infer<typeof SentMessage>
type Kept = z.infer<typeof KeptMessage>
type Person = z.infer<typeof Person>
const Person = z.object({ jid: z.string(), name: z.string() })

/** How long a search goes on, in ms: its page is there within two seconds. */
export const budget = { ms: 1200 }
/**
 * How many numbers are looked at side by side, of how many the sessions are asked for a message's id, and of
 * how many for their people and for what they sent. How many are shown of each kind.
 */
const most = { sideBySide: 12, askedForId: 200, askedForMore: 20, shown: 50, people: 10 }
/** A search takes a whole processor for a second: two of an account at once. */
const searches = new Slots({ most: 4, each: 2 }, { ms: 5000 })

/** Something of a number. */
interface Of<Value> {
  bridge: Bridge.Info
  value: Value
}

export interface Found {
  /** The one page that is meant. */
  to?: string | undefined
  numbers: Bridge.Listed[]
  people: Of<Person>[]
  events: Of<StoredEvent>[]
  sent: Of<Sent>[]
  /** Messages that are kept, and in neither of these lists. */
  kept: Of<Kept>[]
  request?: RequestLog.Kept | undefined
  /** Where the search of the one number goes on: of its events, and of what it keeps. */
  before?: number | undefined
  after?: string | undefined
  /** The first number that was not begun with. */
  from?: string | undefined
  /** The numbers whose events were not all looked at, and whose sessions said nothing. */
  unread: string[]
  silent: string[]
}

interface Looking {
  accountId: string
  requestId: string
  asked: Asked
  /** The numbers that are searched, and all of the account. */
  numbers: Bridge.Listed[]
  all: Bridge.Listed[]
  /** The one chat (a JID) of the one number that is searched. */
  chat?: string | undefined
  before?: number | undefined
  after?: string | undefined
  isOver: () => boolean
  leftMs: () => number
}

/** Looks for what was typed, in the account's numbers, as far as there is time. */
export async function find(input: Omit<Looking, "isOver" | "leftMs">): Promise<Found> {
  return await searches.use(async () => {
    const end = performance.now() + budget.ms
    const leftMs = () => Math.max(0, end - performance.now())
    const looking = { ...input, leftMs, isOver: () => leftMs() === 0 }
    const found: Found = { numbers: [], people: [], events: [], sent: [], kept: [], unread: [], silent: [] }
    const { asked, all } = looking
    if (asked.eventId !== undefined) {
      const bridge = await EventSearch.bridgeOf(all, asked.eventId)
      return { ...found, to: bridge && `/numbers/${bridge.customerRef}/events/${asked.eventId}` }
    }
    const request = await requestOf(looking)
    const to = await pageOfId(looking, request)
    if (to !== undefined) return { ...found, to }
    const called = request && all.find(({ customerRef }) => customerRef === numberIn(request.path))
    await lookInNumbers(called ? { ...looking, numbers: [called] } : looking, found)
    const text = folded(asked.typed)
    const numbers = looking.numbers.filter(({ customerRef, shownName }) =>
      [customerRef, shownName].some((name) => text !== "" && folded(name).includes(text)),
    )
    return { ...found, to: onlyOne(found, asked), request, numbers: numbers.slice(0, most.people) }
  }, input.accountId)
}

/** Does something for each number, some side by side, as long as there is time. @returns those left out */
async function forEach(
  numbers: Bridge.Listed[],
  isOver: () => boolean,
  look: (bridge: Bridge.Info) => Promise<void>,
): Promise<string[]> {
  const left = [...numbers]
  const one = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const bridge = isOver() ? undefined : await Bridge.find(next.accountId, next.customerRef)
      if (isOver()) return void left.push(next)
      if (bridge) await look(bridge)
    }
  }
  await Promise.all(Array.from({ length: Math.min(most.sideBySide, left.length) }, one))
  return left.map(({ customerRef }) => customerRef)
}

/**
 * The page of the message of this id, or of that under this idempotency key: the sessions know their messages
 * by their ids, however many there are. Half of the time is left for all else.
 */
async function pageOfId(looking: Looking, request: RequestLog.Kept | undefined): Promise<string | undefined> {
  const { asked, accountId, requestId, leftMs } = looking
  const { id } = asked
  if (id === undefined || request || looking.before !== undefined) return undefined
  let to: string | undefined
  const numbers = [...new Set([...looking.numbers, ...looking.all])].slice(0, most.askedForId)
  await forEach(
    numbers,
    () => to !== undefined || leftMs() < budget.ms / 2,
    async (bridge) => {
      const underKey = await Idempotency.messageIdOf({ accountId, bridgeId: bridge.id, key: id })
      const path = `/messages/${encodeURIComponent(underKey ?? id)}`
      const { value } = await askSession({ var: { bridge, requestId } }, path, Message, looking.leftMs())
      to ??= value && (await pageOf(bridge, value))
    },
  )
  return to
}

/** A message that the API sent has a page; another has that of its event. */
async function pageOf(bridge: Bridge.Info, message: z.infer<typeof Message>): Promise<string | undefined> {
  const { message_id: id, asked_at, received_at, sent_at } = message
  if (asked_at !== undefined) return pathOfMessage(bridge.customerRef, id)
  const eventId = await EventSearch.eventOfMessage(bridge, id, received_at ?? sent_at ?? 0)
  return eventId && `/numbers/${bridge.customerRef}/events/${eventId}`
}

/** What has exactly this id, where only the lists could say where it is. */
function onlyOne({ events, sent }: Found, { id }: Asked): string | undefined {
  if (id === undefined) return undefined
  const pages = [
    ...sent
      .filter(({ value }) => value.message_id === id || value.request_id === id)
      .map(({ bridge, value }) => pathOfMessage(bridge.customerRef, value.message_id)),
    ...events
      .filter(({ value: { event } }) => event.event === "message" && event.message_id === id)
      .map(({ bridge, value }) => `/numbers/${bridge.customerRef}/events/${value.event_id}`),
  ]
  return pages.length === 1 ? pages[0] : undefined
}

/** The page of the way of a message that the API sent. */
export function pathOfMessage(ref: string, messageId: string): string {
  return `/numbers/${ref}/messages/${encodeURIComponent(messageId)}`
}

/** The call of this id; one whose id says no time is looked for during a quarter of the time. */
async function requestOf({ accountId, asked, leftMs }: Looking): Promise<RequestLog.Kept | undefined> {
  const isOver = () => leftMs() < budget.ms * 0.75
  if (asked.id === undefined || !/^[A-Za-z0-9-]{8,64}$/.test(asked.id)) return undefined
  return await RequestLog.find(accountId, asked.id, { isOver })
}

/** Looks into the numbers themselves: for their people, for what came, and for what the API sent. */
async function lookInNumbers(looking: Looking, found: Found): Promise<void> {
  const { numbers, isOver } = looking
  const isFew = numbers.length <= most.askedForMore
  if (!isFew) found.silent = numbers.map(({ customerRef }) => customerRef)
  const left = await forEach(numbers, isOver, async (bridge) => {
    // On a further page of one list there is nothing new of the others.
    const isAsked = isFew && looking.before === undefined
    const kept = isAsked ? keptOf(bridge, looking, found) : undefined
    if (looking.after !== undefined) return await kept
    const people = isAsked ? await askedOf(bridge, looking, found) : []
    // Events have people's numbers, and their own names for themselves, not those of the address book.
    const texts = [...looking.asked.texts, ...people.map(({ jid }) => folded(jid))]
    await Promise.all([kept, eventsOf(bridge, { ...looking, asked: { ...looking.asked, texts } }, found)])
  })
  found.unread.push(...left)
  found.from = left[0]
  const newestFirst = <Value>(all: Of<Value>[], at: (value: Value) => number) =>
    all.toSorted((a, b) => at(b.value) - at(a.value)).slice(0, most.shown)
  found.events = newestFirst(found.events, (event) => event.created_at)
  found.sent = newestFirst(found.sent, (sent) => sent.asked_at)
  const shown = new Set([
    ...found.events.flatMap(({ value: { event } }) => ("message_id" in event ? [event.message_id] : [])),
    ...found.sent.map(({ value }) => value.message_id),
  ])
  const others = found.kept.filter(({ value }) => !shown.has(value.message_id))
  found.kept = newestFirst(others, (message) => message.timestamp)
}

async function eventsOf(bridge: Bridge.Info, looking: Looking, found: Found): Promise<void> {
  const { asked, numbers, before, chat, isOver } = looking
  const { texts } = asked
  const page = await EventSearch.newest(bridge, { texts, chat, before, limit: most.shown, isOver })
  found.events.push(...page.events.map((value) => ({ bridge, value })))
  if (page.before === undefined) return
  if (numbers.length === 1) found.before = page.before
  if (page.events.length < most.shown) found.unread.push(bridge.customerRef)
}

/** How long a session has for its answer, ms. */
const patienceMs = 500
const InSession = z.object({ people: z.array(Person), sent: z.array(SentMessage), isWhole: z.boolean() })

/** What the session of a number knows. @returns the people of this name or number */
async function askedOf(bridge: Bridge.Info, looking: Looking, found: Found): Promise<Person[]> {
  const within = Math.min(patienceMs, looking.leftMs())
  const query = {
    texts: JSON.stringify(looking.asked.texts),
    chat: looking.chat,
    within_ms: Math.floor(within * 0.7),
  }
  const of = { var: { bridge, requestId: looking.requestId } }
  const said = await askSession(of, `/found?${toQuery(query)}`, InSession, within)
  if (said.problem !== undefined) {
    if (said.code !== "not_paired") found.silent.push(bridge.customerRef)
    return []
  }
  const { people, sent, isWhole } = said.value
  found.people.push(...people.map((value) => ({ bridge, value })))
  found.sent.push(...sent.map((value) => ({ bridge, value })))
  if (!isWhole) found.unread.push(bridge.customerRef)
  return people
}

/** What a number keeps, if it does, as far as there is time. A chat may have very many messages. */
async function keptOf(bridge: Bridge.Info, looking: Looking, found: Found): Promise<void> {
  const { chat, asked, requestId, leftMs } = looking
  // As the network knows it, where a number was typed.
  const words = asked.texts[1] ?? asked.texts[0]
  let { after } = looking
  for (let isFirst = true; isFirst || (after !== undefined && leftMs() > 0); isFirst = false) {
    const path = `/search?${toQuery({ words, chat, after, limit: most.shown })}`
    const said = await askSession({ var: { bridge, requestId } }, path, z.array(KeptMessage), leftMs())
    if (said.problem !== undefined) {
      // Of the others, the session has said so already, or there is nothing to search.
      if (said.code === undefined && leftMs() === 0) found.unread.push(bridge.customerRef)
      break
    }
    found.kept.push(...said.value.map((value) => ({ bridge, value })))
    after = said.next
    if (found.kept.length >= most.shown) break
  }
  if (looking.numbers.length === 1) found.after = after
}
