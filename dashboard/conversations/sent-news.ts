import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import type { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { callHost } from "#core/lease/call-host.ts"
import { isThroughLambda } from "#core/lease/call-through-lambda.ts"
import { Lease } from "#core/lease/lease.ts"
import { nowMs } from "#core/platform/clock.ts"
import { log } from "#core/platform/log.ts"
import { toQuery } from "../answer.ts"
import { patienceMs, type Said, Sent } from "./said.ts"

/** How long a session is asked to wait for news, in ms: `longestWaitMs` there. */
const waitMs = 2000
/** Where nobody can wait at the session, or it does not answer, it is asked this often. */
const lookEachMs = 1000
/** How far back a page that comes back is told, in ms. */
const longestMs = 30 * 60_000

type Told = (said: Said[]) => void

/** Who is told of a bridge's sends in this process: its session is asked once for all of them. */
const readers = new Map<string, Set<Told>>()

/**
 * Follows what is sent here and through the API, and how far it comes: a send is no event, so the session
 * itself says it.
 * @param sinceMs when the page was made that shows it, Unix milliseconds
 */
export function followSends(about: About, sinceMs: number) {
  const waiting: Said[] = []
  let news = Promise.withResolvers<void>()
  const told: Told = (said) => {
    waiting.push(...said)
    if (waiting.length > 0) news.resolve()
  }
  const { id } = about.bridge
  const all = readers.get(id) ?? new Set()
  all.add(told)
  if (!readers.has(id)) void read(about, readers.set(id, all).get(id)!)
  // Between the page and its stream something may have been sent. Clocks differ by a little.
  const from = Math.max(sinceMs - 2000, nowMs() - longestMs)
  newsAfter(about, String(from), 0).then((before) => told(before?.said ?? []), failed)
  return {
    next: async (): Promise<Said[]> => {
      await news.promise
      news = Promise.withResolvers()
      return waiting.splice(0)
    },
    end: () => {
      all.delete(told)
      news.resolve()
    },
  }
}

interface About {
  bridge: Bridge.Info
  requestId: string
}

/** Asks the session until nobody wants to be told any more. */
async function read(about: About, all: Set<Told>): Promise<void> {
  const wait = isThroughLambda() ? 0 : waitMs // there each call that waits would hold a function
  let after: string | undefined
  while (all.size > 0) {
    const news = await newsAfter(about, after, after === undefined ? 0 : wait).catch(failed)
    after = news?.at ?? after
    for (const told of all) told(news?.said ?? [])
    if (!news || wait === 0) await sleep(lookEachMs)
  }
  readers.delete(about.bridge.id)
}

function failed(error: unknown): undefined {
  log.warn({ error }, "what a number has sent was not read for its pages")
}

/** The session's news behind these, as soon as there are some; undefined while it does not answer. */
async function newsAfter({ bridge, requestId }: About, after: string | undefined, wait_ms: number) {
  const lease = await Lease.get(bridge.id)
  // A session that sleeps is not woken for a reader.
  if (!lease || !Lease.isHeld(lease)) return undefined
  try {
    const path = `/said/news?${toQuery({ after, wait_ms })}`
    const call = { method: "GET", bridgeId: bridge.id, requestId, path } as const
    const answer = await callHost(lease, call, wait_ms + patienceMs)
    if (typeof answer === "string" || answer.status !== 200) return undefined
    const said = z.array(Sent).parse(JSON.parse(Buffer.from(answer.body).toString()))
    return { said, at: String(answer.headers["x-next-after"]) }
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}
