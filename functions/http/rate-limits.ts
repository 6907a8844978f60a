import type { Context } from "hono"
import { createMiddleware } from "hono/factory"
import { ApiKey } from "#core/account/api-key.ts"
import { rateLimited } from "#core/error.ts"
import { RateLimit } from "#core/limits/rate-limit.ts"
import { isBusy } from "#core/platform/busy.ts"
import { Slots } from "#core/platform/slots.ts"
import { addressOf } from "./address.ts"
import { keyOf } from "./authenticate.ts"
import type { ApiEnv } from "./contract-router.ts"

/** The floor under all limits, counted before the key is looked at, so that wrong keys count. */
export const byAddress = createMiddleware<ApiEnv>(async (c, next) => {
  await countAddress(c)
  await next()
})

/** @throws ApiError `rate_limited` */
export async function countAddress(c: Context<ApiEnv>): Promise<void> {
  await count(c, "address", addressOf(c))
}

/** Each call counts against exactly one scope of its key. */
export const byKey = createMiddleware<ApiEnv>(async (c, next) => {
  await count(c, scopeOf(c), c.var.keyId)
  await next()
})

/** How many calls of an account may be under way at once in this process, with all of its keys. */
export const callsUnderWay = { most: Infinity, each: 500 }
const underWay = new Slots(callsUnderWay, { ms: 0, refusal: () => rateLimited(1) })

/**
 * A call whose body trickles in, or whose answer takes long, keeps memory and a place at the session's host.
 */
export const byAccount = createMiddleware<ApiEnv>(async (c, next) => {
  await underWay.use(next, c.var.accountId)
})

/**
 * While this process is busy, so many calls of an account are worked on at once, and its others wait:
 * else everybody's calls would stand behind all of a flood.
 */
const eachWhileBusy = 8
const worked = { most: Infinity, each: Infinity }
const workedOn = new Slots(worked, { ms: 10_000, refusal: () => rateLimited(1) })

/**
 * The first of all, so that those who wait have cost next to nothing. Who brings no key yet known goes by
 * address.
 */
export const inTurn = createMiddleware<ApiEnv>(async (c, next) => {
  worked.each = isBusy() ? eachWhileBusy : Infinity
  if (worked.each === Infinity) return await next()
  const key = keyOf(c)
  const leave = await workedOn.enter((key && ApiKey.accountIfKnown(key)) ?? addressOf(c))
  // By then it waits for a session's host or its caller, not for this process.
  const waits = setTimeout(leave, 1000)
  try {
    await next()
  } finally {
    clearTimeout(waits)
    leave()
  }
})

/** Contract, "Rate limits" */
function scopeOf(c: Context<ApiEnv>): RateLimit.Scope {
  if (isOfSession(c.req.path)) return "proxy"
  return c.req.method === "POST" && c.req.path === "/api/instances" ? "provision" : "other"
}

/** Whether a path leads to a bridge's session. */
export function isOfSession(path: string): boolean {
  return /^\/api\/instances\/[^/]+\/proxy(?:\/|$)/.test(path)
}

async function count(c: Context<ApiEnv>, scope: RateLimit.Scope, who: string): Promise<void> {
  const window = await RateLimit.count(scope, who)
  c.set("window", window)
  if (window.isExceeded) throw rateLimited(RateLimit.secondsLeft(window))
}

/** The state of the narrowest limit that the request counts against. */
export function rateHeaders(window: RateLimit.Window): Record<string, string> {
  return {
    "ratelimit-limit": String(window.limit),
    "ratelimit-remaining": String(window.remaining),
    "ratelimit-reset": String(RateLimit.secondsLeft(window)),
  }
}
