import type { OpenAPIHono } from "@hono/zod-openapi"
import type { MiddlewareHandler } from "hono"
import { TrieRouter } from "hono/router/trie-router"
import { wrongMethodSentence } from "#contract/error-codes.ts"
import { ApiError } from "#core/error.ts"
import { lazily } from "#core/platform/lazily.ts"
import type { ApiEnv } from "./contract-router.ts"

/** The one path that takes a HEAD. */
const alive = "/healthz"

interface Checks {
  /**
   * The first of all. For Hono a HEAD is a GET whose body is not read, but a GET may wake a bridge, make its
   * session dial, or hold a place for a stream. So a HEAD ends here, before any route.
   */
  first: MiddlewareHandler<ApiEnv>
  /** Right before the routes of the API. */
  beforeRoutes: MiddlewareHandler<ApiEnv>
}

/**
 * Refuses a method that a path does not take (Contract, "Routes").
 * @throws ApiError `method_not_allowed`
 */
export function onlyTheirMethods(app: OpenAPIHono<ApiEnv>): Checks {
  // Read at the first request: the app has all its routes then.
  const router = lazily(() => routesOf(app))
  const mustTake = (method: string, path: string) => {
    const methods = methodsOf(router.match("ALL", path)[0].map(([route]) => route))
    if (methods.length === 0 || methods.includes(method)) return
    throw new ApiError("method_not_allowed", wrongMethodSentence(methods), {
      headers: { allow: methods.join(", ") },
    })
  }
  return {
    async first(c, next) {
      const { method, path } = c.req
      if (method === "HEAD" && path !== alive) mustTake(method, path)
      await next()
      const isUnanswered = c.res.status === 404 && !c.error
      if (isUnanswered && method !== "HEAD") mustTake(method, path)
    },
    async beforeRoutes(c, next) {
      mustTake(c.req.method, c.req.path)
      await next()
    },
  }
}

interface Route {
  method: string
  path: string
}

/** Leads from a path to the routes that match it. */
function routesOf(app: OpenAPIHono<ApiEnv>): TrieRouter<Route> {
  const router = new TrieRouter<Route>()
  for (const { method, path } of app.routes)
    if (method !== "ALL") router.add("ALL", path, { method, path: shapeOf(path) })
  return router
}

/** A route's path, so that a literal part sorts before a parameter in its place. */
function shapeOf(path: string): string {
  return path.replaceAll(/:[^/]+|\*/g, "\uffff")
}

/** The methods of the path that is named most exactly: `groups/join` is no `groups/:jid`. */
function methodsOf(routes: Route[]): string[] {
  const exact = routes.map(({ path }) => path).toSorted()[0]
  return [...new Set(routes.filter(({ path }) => path === exact).map(({ method }) => method))]
}
