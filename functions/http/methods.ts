import type { OpenAPIHono } from "@hono/zod-openapi"
import type { MiddlewareHandler } from "hono"
import { TrieRouter } from "hono/router/trie-router"
import { wrongMethodSentence } from "#contract/error-codes.ts"
import { ApiError } from "#core/error.ts"
import { lazily } from "#core/platform/lazily.ts"
import type { ApiEnv } from "./contract-router.ts"

/** The one path that takes a HEAD. */
const alive = "/healthz"

/**
 * Refuses a method that a path does not take (Contract, "Routes"). For Hono a HEAD is a GET whose body is not
 * read, but a GET may wake a bridge, make its session dial, or hold a place for a stream. So a HEAD ends
 * here, before any route.
 * @throws ApiError `method_not_allowed`
 */
export function onlyTheirMethods(app: OpenAPIHono<ApiEnv>): MiddlewareHandler<ApiEnv> {
  // Read at the first request: the app has all its routes then.
  const router = lazily(() => methodsOf(app))
  return async (c, next) => {
    const { method, path } = c.req
    const methods = [...new Set(router.match("ALL", path)[0].map(([taken]) => taken))]
    const refusal = () =>
      new ApiError("method_not_allowed", wrongMethodSentence(methods), {
        headers: { allow: methods.join(", ") },
      })
    if (method === "HEAD" && methods.length > 0 && path !== alive) throw refusal()
    await next()
    const isUnanswered = c.res.status === 404 && !c.error
    if (isUnanswered && methods.length > 0 && !methods.includes(method)) throw refusal()
  }
}

/** Leads from a path to its methods. */
function methodsOf(app: OpenAPIHono<ApiEnv>): TrieRouter<string> {
  const router = new TrieRouter<string>()
  for (const { method, path } of app.routes) if (method !== "ALL") router.add("ALL", path, method)
  return router
}
