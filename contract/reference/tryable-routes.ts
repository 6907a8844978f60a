import { isSend } from "#contract/idempotency-key.ts"
import { proxy } from "#contract/route-parts.ts"
import { type RouteName, routes } from "#contract/routes.ts"

/** What a page that tries a route of the contract knows of the route. */
export interface Tryable {
  name: RouteName
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Behind `/proxy`. */
  path: string
  summary: string
  hasBody: boolean
  /** It sends a message, which the API gives its id. */
  isSend: boolean
}

/**
 * The routes that can be tried without knowing anything: a session's own, with no id in their path, that
 * answer JSON. Logging out is one: the sandbox links itself again.
 */
const tryable = new Map<string, Tryable>(
  Object.values(routes)
    .flatMap((group) => Object.entries(group))
    .flatMap(([name, route]) => {
      const path = route.path.startsWith(`${proxy}/`) ? route.path.slice(proxy.length) : "{}"
      const answers =
        "200" in route.responses ? (route.responses[200] as { content?: object }).content : undefined
      if (path.includes("{") || name === "webhookLogs" || !answers || !("application/json" in answers))
        return []
      const { request } = route as { request: { body?: object } } // as its definition says
      const method = route.method.toUpperCase() as Tryable["method"]
      const hasBody = request.body !== undefined
      const about = { method, path, summary: route.summary, hasBody, isSend: isSend(route) }
      return [[name, { name: name as RouteName, ...about }]]
    }),
)

export function canTry(name: string): boolean {
  return tryable.has(name)
}

/** The route that a call of this method goes to, by its path behind `/proxy`, where it can be tried. */
export function tryableAt(method: string, path: string): Tryable | undefined {
  return [...tryable.values()].find((one) => one.method === method && one.path === path)
}

/** The route of this name; undefined where it cannot be tried. */
export function tryableOf(name: string): Tryable | undefined {
  return tryable.get(name)
}
