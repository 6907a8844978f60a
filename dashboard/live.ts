import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { Context } from "hono"
import { type SSEStreamingApi, streamSSE } from "hono/streaming"
import { Member } from "#core/account/member.ts"
import { rateLimited } from "#core/error.ts"
import { Place } from "#core/limits/place.ts"
import { RateLimit } from "#core/limits/rate-limit.ts"
import { nowMs } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { Slots } from "#core/platform/slots.ts"
import { StoreAway } from "#core/store/store.ts"
import { addressOf } from "#functions/http/address.ts"
import type { Html } from "./elements.ts"
import type { DashboardEnv } from "./guard.ts"

/**
 * A connection lives this long; the browser connects again at once. On Lambda nothing says that a page was
 * closed: its stream holds a function and one of the person's places until its end.
 */
function livesMs(): number {
  return config.AWS_LAMBDA_FUNCTION_NAME === undefined ? 60_000 : 15_000
}

const commentEachMs = 10_000
const againAfterMs = 300

/** How many streams a person may have open at once. A page has one, and a hidden page none. */
export const streamsPerPerson = 12
/**
 * How many streams an IP address may have open at once on Lambda, whoever its people are. All addresses share
 * a few places there, and this is a quarter of them at the smallest stage (`live` in `infra/stage/stage.ts`).
 */
export const streamsPerAddress = 30
/** How many streams the people of an account may have open at once in this process. */
export const streamsOfAccount = { most: Infinity, each: 100 }
const ofAccounts = new Slots(streamsOfAccount, { ms: 0, refusal: () => rateLimited(refusedFor) })
/**
 * The streams that this process serves, by reader. One too many is refused without asking the store, which
 * counts the streams of all processes.
 */
const here = new Map<string, Stream[]>()
/** After how many seconds a page that was refused a stream asks again. */
const refusedFor = 3

/**
 * A message of a stream: a piece of the page; `id` is where to go on after a break. An empty one has nothing
 * but its id.
 */
export interface Piece {
  html: Html | string
  id?: string | undefined
}

/** A stream. `opener`: the part of a tab that opened it; undefined if the request does not say. */
interface Stream {
  opener: string | undefined
  /** The same part of the tab has opened another stream. */
  isReplaced: boolean
}

/** For whom streams are, and how many they may have open at once. */
interface Reader {
  id: string
  most: number
}

type NextPieces = (last: { id: string | undefined }) => Promise<Map<string, Piece> | "over">

/**
 * The part of a tab that opens a stream, as our script names it: it stays the same on the tab's next page.
 */
function openerOf(c: Context): string | undefined {
  const { part } = c.req.query()
  return part !== undefined && /^[\w-]{8,64}$/.test(part) ? part : undefined
}

/**
 * The id that a reader had last. Our script hands it over when it opens a stream anew, the browser in a
 * header.
 */
export function lastId(c: Context): string | undefined {
  return c.req.header("last-event-id") || c.req.query("after") || undefined
}

/**
 * Streams pieces of a page, as server-sent events. `nextPieces` is asked again and again, `eachMs` after its
 * last answer, and gives what is new: a piece that was sent last under its key is not sent again. `whenOver`
 * is called at the end, perhaps twice. The open streams are counted for their person, or for another
 * `reader`; so is how often streams are opened. A part of a tab has one stream at a time: when it opens
 * another, perhaps on another page, the former one ends with its next pieces, or with its next comment if
 * another process serves it.
 * @throws ApiError `rate_limited` when the most streams allowed are open, or streams are opened too often
 * @throws StoreAway when the request was answered meanwhile (`withinTime`)
 */
export async function live(
  c: Context<DashboardEnv>,
  eachMs: number | (() => number),
  nextPieces: NextPieces,
  whenOver: () => void = () => {},
  reader: Reader = { id: c.var.me.person.id, most: streamsPerPerson },
): Promise<Response> {
  const own: Stream = { opener: openerOf(c), isReplaced: false }
  const me = c.get("me") as DashboardEnv["Variables"]["me"] | undefined
  const leave = await ofAccounts.enter(me?.account.id ?? reader.id).catch((error: unknown) => {
    whenOver()
    throw error
  })
  const onEnd = () => {
    whenOver()
    leave()
  }
  const places = await enter(reader, own, addressOf(c)).catch((error: unknown) => {
    onEnd()
    throw error
  })
  // The store took too long, and the browser has its answer: it would not read this stream, or end it.
  if (c.finalized) {
    onEnd()
    left(reader.id, own)
    await giveUp(places)
    throw new StoreAway("a stream came too late")
  }
  const response = streamSSE(
    c,
    async (stream) => {
      stream.onAbort(onEnd)
      try {
        await feed(c, stream, { eachMs, nextPieces, own, places })
      } finally {
        onEnd()
        left(reader.id, own)
        await giveUp(places)
      }
    },
    async (error) => {
      log.error({ error }, "a page's stream broke off")
    },
  )
  response.headers.set("cache-control", "no-store")
  response.headers.set("x-accel-buffering", "no")
  return response
}

/**
 * Sends what is new until the time of a stream is over, its reader may not stay, or there is nothing more to
 * come.
 */
async function feed(
  c: Context<DashboardEnv>,
  stream: SSEStreamingApi,
  by: {
    eachMs: number | (() => number)
    nextPieces: NextPieces
    own: Stream
    places: Awaited<ReturnType<typeof enter>>
  },
): Promise<void> {
  const { eachMs, nextPieces, own, places } = by
  const until = performance.now() + livesMs()
  const sent = new Map<string, string>()
  let id = lastId(c)
  let keptAt = performance.now()
  // The visitor's clock may be set while the page is open.
  await stream.writeSSE({ event: "clock", data: String(nowMs()), retry: againAfterMs })
  while (!stream.aborted && !own.isReplaced && performance.now() < until) {
    const found = await nextPieces({ id })
    if (found === "over") return
    for (const [key, piece] of found) {
      const text = String(await piece.html)
      id = piece.id ?? id
      if (text === "" || sent.get(key) === text) continue
      sent.set(key, text)
      await stream.writeSSE({ data: text, ...(piece.id !== undefined && { id: piece.id }) })
    }
    if (performance.now() - keptAt >= commentEachMs) {
      keptAt = performance.now()
      // The id says how far the page has come.
      await stream.writeSSE({ event: "clock", data: String(nowMs()), ...(id !== undefined && { id }) })
      const areKept = await Promise.all(places.map(Place.renew))
      if (!areKept.every(Boolean) || !(await mayStay(c))) return
    }
    await sleep(typeof eachMs === "number" ? eachMs : eachMs())
  }
}

/**
 * Whether the stream's person is still in the account, in the same role. The stream of a link page has no
 * person.
 */
async function mayStay(c: Context<DashboardEnv>): Promise<boolean> {
  const me = c.get("me") as DashboardEnv["Variables"]["me"] | undefined
  if (!me) return true
  const all = await Member.ofPerson(me.person.id)
  return all.find(({ accountId }) => accountId === me.account.id)?.role === me.role
}

async function isTooOften(whose: string): Promise<boolean> {
  return (await RateLimit.count("pageStreams", whose)).isExceeded
}

/**
 * Takes one of a person's places, and on Lambda one of their address's.
 * @throws ApiError `rate_limited` if there is none, or streams are opened too often
 */
async function enter(reader: Reader, entering: Stream, address: string): Promise<Place.Info[]> {
  const { id: whose } = reader
  const place = (await isTooOften(whose)) ? undefined : await placeFor(reader, entering)
  if (!place) throw rateLimited(refusedFor)
  if (config.AWS_LAMBDA_FUNCTION_NAME === undefined) return [place]
  const opener = entering.opener === undefined ? randomUUID() : `${whose} ${entering.opener}`
  const atAddress = await Place.take(`PAGES#${address}`, streamsPerAddress, { opener })
  if (atAddress) return [place, atAddress]
  left(whose, entering)
  await giveUp([place])
  throw rateLimited(refusedFor)
}

/**
 * Takes one of a reader's places. Until then the former stream of the same part of a tab goes on.
 * @returns undefined if no place is free
 */
async function placeFor({ id: whose, most }: Reader, entering: Stream): Promise<Place.Info | undefined> {
  const { opener } = entering
  const open = here.get(whose) ?? []
  const others = new Set(open.map((one) => one.opener ?? one))
  if (opener !== undefined) others.delete(opener)
  if (others.size >= most) return undefined
  here.set(whose, [...open, entering])
  let place: Place.Info | undefined
  try {
    place = await Place.take(`PAGES#${whose}`, most, { opener })
    // Only streams that were there before this one are replaced: of two at once, each would end the other.
    if (place && opener !== undefined)
      for (const one of open) if (one.opener === opener) one.isReplaced = true
    return place
  } finally {
    if (!place) left(whose, entering)
  }
}

/** Places that could not be given up are free half a minute later. */
async function giveUp(places: Place.Info[]): Promise<void> {
  await Promise.all(places.map(Place.leave)).catch((error: unknown) =>
    log.warn({ error }, "a stream's place was not given up"),
  )
}

function left(whose: string, leaving: Stream): void {
  const open = here.get(whose)?.filter((one) => one !== leaving) ?? []
  if (open.length === 0) here.delete(whose)
  else here.set(whose, open)
}
