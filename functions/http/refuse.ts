import type { Context } from "hono"
import { ApiError, internalError, sessionUnavailable } from "#core/error.ts"
import { log } from "#core/platform/log.ts"
import { isPassing } from "#core/store/store.ts"
import type { ApiEnv } from "./contract-router.ts"

/**
 * The one place that answers the API's refusals. It shows what a customer may see of an error, and nothing
 * else.
 */
export function refuse(error: Error, c: Context<ApiEnv>): Response {
  const refusal = asRefusal(error, c.var.requestId)
  c.set("refusal", refusal)
  const body = {
    error: refusal.message,
    code: refusal.code,
    request_id: c.var.requestId,
    ...refusal.fields,
  }
  return c.json(body, refusal.status, refusal.headers)
}

/** The refusal that a customer may see in place of an error. An error that is our own fault is logged. */
export function asRefusal(error: Error, requestId: string): ApiError {
  if (error instanceof ApiError) return error
  // The path is not logged, since it names people. The answer's log line has the route.
  log.error({ error, requestId }, "request failed")
  if (isPassing(error)) return sessionUnavailable("the service cannot answer now: try again")
  return internalError()
}
