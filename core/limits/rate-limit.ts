export * as RateLimit from "./rate-limit.ts"

import { LRUCache } from "lru-cache"
import { latestEnd, nowMs, timeLeft } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { isThrottled, putRow, type Row, updateRow, waitForStore } from "../store/store.ts"
import { tables } from "../store/tables.ts"

const minute = 60_000

/**
 * Contract, "Rate limits": requests a minute. `address` is the floor under all the others, `pages` that of
 * the dashboard. The mails of sign-ins are counted for the address that asks, for the one that they go to,
 * and for both together: a stranger alone cannot use up another's mails. Mails about what was done are
 * counted for their account. Codes to type and answers of passkeys are counted for the bridge that is to be
 * linked, streams of pages for their person: twelve that come back every 15 seconds are 48.
 */
const limits = {
  provision: () => ({ limit: config.RATE_LIMIT_PROVISION, windowMs: minute }),
  proxy: () => ({ limit: config.RATE_LIMIT_PROXY, windowMs: minute }),
  other: () => ({ limit: config.RATE_LIMIT_OTHER, windowMs: minute }),
  address: () => ({ limit: config.RATE_LIMIT_ADDRESS, windowMs: minute }),
  pages: () => ({ limit: config.RATE_LIMIT_ADDRESS, windowMs: minute }),
  mailsTo: () => ({ limit: 12, windowMs: 15 * minute }),
  mailsBetween: () => ({ limit: 3, windowMs: 15 * minute }),
  mailsOfActs: () => ({ limit: 20, windowMs: 60 * minute }),
  mailsFor: () => ({ limit: 10, windowMs: 15 * minute }),
  linkTries: () => ({ limit: 10, windowMs: 15 * minute }),
  pageStreams: () => ({ limit: 300, windowMs: minute }),
}
export type Scope = keyof typeof limits
type Limit = ReturnType<(typeof limits)[Scope]>

/** How many requests a minute pass: of an API key, by what they are for, and of an address. */
export function perMinute() {
  const { provision, proxy, other, address } = limits
  return {
    provision: provision().limit,
    proxy: proxy().limit,
    other: other().limit,
    address: address().limit,
  }
}

/** After how many seconds a refused request may be made again. */
export function secondsLeft({ endsMs }: Window): number {
  return Math.max(1, Math.ceil((endsMs - nowMs()) / 1000))
}

/** How long requests are refused after the store was too busy to count them. */
const throttledMs = 1000

export interface Window {
  limit: number
  /** How many more requests the window allows. */
  remaining: number
  /** The end of the window, in Unix milliseconds. */
  endsMs: number
  /** This request is over the limit. */
  isExceeded: boolean
}

/**
 * Callers over a limit are refused from memory until the window ends: refused writes cost as much as others.
 */
const over = new LRUCache<string, number>({ max: 100_000 })

/** The requests that wait for the next write of a counter; that write counts them all. */
const waiting = new Map<string, PromiseWithResolvers<Window>[]>()

const prefix = "RATE#"

/** Whether a row of this partition key counts requests. */
export function isCounter(pk: string): boolean {
  return pk.startsWith(prefix)
}

/**
 * Counts a request. A window starts with its first request, and no more requests than the limit pass, however
 * many come at once. A throttled counter lets no request through: a caller who hammers it throttles only
 * their own.
 * @throws when the store is away.
 */
export async function count(scope: Scope, who: string): Promise<Window> {
  const pk = `${prefix}${scope}#${who}`
  const { limit, windowMs } = limits[scope]()
  const knownEnd = over.get(pk) ?? 0
  if (timeLeft(knownEnd, windowMs, nowMs()) > 0)
    return { limit, remaining: 0, endsMs: knownEnd, isExceeded: true }

  const request = Promise.withResolvers<Window>()
  const others = waiting.get(pk)
  if (others) others.push(request)
  else void countAll(pk, limits[scope](), [request])
  return await waitForStore(() => request.promise)
}

/** Writes until no request waits. */
async function countAll(pk: string, of: Limit, first: PromiseWithResolvers<Window>[]): Promise<void> {
  const { limit, windowMs } = of
  for (let batch = first; batch.length > 0; batch = waiting.get(pk) ?? []) {
    waiting.set(pk, [])
    try {
      const { before, passing, startMs } = await counted(pk, of, batch.length)
      const endsMs = startMs + windowMs
      if (passing < batch.length) over.set(pk, endsMs, { ttl: windowMs })
      for (const [i, { resolve }] of batch.entries()) {
        const isExceeded = i >= passing
        resolve({ limit, remaining: isExceeded ? 0 : limit - before - i - 1, endsMs, isExceeded })
      }
    } catch (error) {
      const endsMs = nowMs() + throttledMs
      if (isThrottled(error)) over.set(pk, endsMs, { ttl: throttledMs })
      for (const { resolve, reject } of batch)
        if (isThrottled(error)) resolve({ limit, remaining: 0, endsMs, isExceeded: true })
        else reject(error)
    }
  }
  waiting.delete(pk)
}

/**
 * Adds this many to the counter, or as many as the limit leaves room for; those over it are not written.
 * @returns the count before, and how many of the new requests pass.
 */
async function counted(
  pk: string,
  { limit, windowMs }: Limit,
  asked: number,
): Promise<{ before: number; passing: number; startMs: number }> {
  let passing = Math.min(asked, limit)
  for (;;) {
    const atMs = nowMs()
    const { row, isCounted } = await add(pk, { some: passing, limit, windowMs, atMs })
    const startMs = Number(row.start_ms ?? 0)
    const n = Number(row.n ?? 0)
    if (isCounted) return { before: n - passing, passing, startMs }
    if (timeLeft(startMs + windowMs, windowMs, atMs) > 0) {
      passing = Math.min(passing, limit - n)
      if (passing <= 0) return { before: limit, passing: 0, startMs }
      continue
    }
    passing = Math.min(asked, limit)
    if (await begin(pk, { some: passing, seenMs: startMs, atMs, windowMs }))
      return { before: 0, passing, startMs: atMs }
  }
}

async function add(
  pk: string,
  input: { some: number; limit: number; windowMs: number; atMs: number },
): Promise<{ row: Row; isCounted: boolean }> {
  const row = await updateRow({
    TableName: tables.requests,
    Key: key(pk),
    UpdateExpression: "SET n = n + :some",
    ConditionExpression: "start_ms > :over AND start_ms <= :latest AND n <= :room",
    ExpressionAttributeValues: {
      ":some": input.some,
      ":over": input.atMs - input.windowMs,
      ":latest": latestEnd(input.windowMs, input.atMs) - input.windowMs,
      ":room": input.limit - input.some,
    },
  })
  return "now" in row ? { row: row.now, isCounted: true } : { row: row.refused, isCounted: false }
}

/** @returns false when another process has begun a window since the old one was seen. */
async function begin(
  pk: string,
  input: { some: number; seenMs: number; atMs: number; windowMs: number },
): Promise<boolean> {
  const { some, seenMs, atMs, windowMs } = input
  const refused = await putRow({
    TableName: tables.requests,
    Item: { ...key(pk), n: some, start_ms: atMs, expires_at: Math.ceil((atMs + 2 * windowMs) / 1000) },
    ConditionExpression: "attribute_not_exists(pk) OR start_ms = :seen",
    ExpressionAttributeValues: { ":seen": seenMs },
  })
  return !refused
}

function key(pk: string) {
  return { pk, sk: "RATE" }
}
