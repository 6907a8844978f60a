import { OpenAPIHono } from "@hono/zod-openapi"
import type { ApiKey } from "#core/account/api-key.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import { type ApiError, invalid, type Issue, issuesOf } from "#core/error.ts"
import "#core/platform/zod-sentences.ts"
import type { RateLimit } from "#core/limits/rate-limit.ts"

export interface ApiEnv {
  Variables: {
    requestId: string
    /** The account that the API key belongs to. */
    accountId: string
    keyId: string
    /** What the key may do, and where. */
    access: ApiKey.Access
    /** The state of the narrowest rate limit that the request counts against. */
    window: RateLimit.Window
    /** Set on every route below `/api/instances/{customer_ref}`. */
    bridge: Bridge.Info
    /** Why the request is refused, if it is. */
    refusal: ApiError
  }
}

/** A router whose input is checked against the contract before a handler runs. */
export function contractRouter() {
  return new OpenAPIHono<ApiEnv>({
    defaultHook: (result, c) => {
      if (result.success) return
      const isTwice = ({ path }: Issue) => result.target === "query" && (c.req.queries(path)?.length ?? 0) > 1
      const issues = issuesOf(result.error)
      // A list, of which a schema would say only that it is no text or number.
      throw invalid(
        issues.map((issue) =>
          isTwice(issue) ? { ...issue, message: "is there twice: give it once" } : issue,
        ),
      )
    },
  })
}
