import type { Context } from "hono"
import { createMiddleware } from "hono/factory"
import { rateLimited } from "#core/error.ts"
import { Slots } from "#core/platform/slots.ts"
import { RateLimit } from "#core/rate-limit.ts"
import { addressOf } from "./address.ts"
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
 * While this process has hardly a moment left, so many calls of an account are worked on at once, and its others wait:
 * else everybody's calls would stand behind all of a flood.
 */
const whileBusy = { share: 0.8, each: 16, lookEachMs: 100 }
const worked = { most: Infinity, each: callsUnderWay.each }
const workedOn = new Slots(worked, { ms: 10_000, refusal: () => rateLimited(1) })
let looked = performance.eventLoopUtilization()
let lookedAt = performance.now()

function lookHowBusy(): void {
  if (performance.now() - lookedAt < whileBusy.lookEachMs) return
  const { utilization } = performance.eventLoopUtilization(looked)
  looked = performance.eventLoopUtilization()
  lookedAt = performance.now()
  worked.each = utilization > whileBusy.share ? whileBusy.each : callsUnderWay.each
}

/** A call whose body trickles in, or whose answer takes long, keeps memory and a place at the session's host. */
export const byAccount = createMiddleware<ApiEnv>(async (c, next) => {
  lookHowBusy()
  const { accountId } = c.var
  await underWay.use(() => workedOn.use(next, accountId), accountId)
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
