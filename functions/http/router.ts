import { OpenAPIHono } from "@hono/zod-openapi"
import type { Bridge } from "#core/bridge.ts"
import { invalid, issuesOf } from "#core/error.ts"
import "#core/sentences.ts"
import type { RateLimit } from "#core/rate-limit.ts"

export interface ApiEnv {
  Variables: {
    requestId: string
    /** Whose API key it is. */
    accountId: string
    keyId: string
    /** Of the narrowest rate limit that the request was counted against. */
    window: RateLimit.Window
    /** Of every route below `/api/instances/{customer_ref}`. */
    bridge: Bridge.Info
  }
}

/** Routes whose input is checked against the contract before their handler runs. */
export function router() {
  return new OpenAPIHono<ApiEnv>({
    defaultHook: (result) => {
      if (result.success) return
      throw invalid(issuesOf(result.error))
    },
  })
}
