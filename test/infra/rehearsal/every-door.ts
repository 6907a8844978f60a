import { expect } from "vitest"
import { examples } from "#contract/examples.ts"
import { type RouteName, routes } from "#contract/routes.ts"
import type { Route } from "#test/e2e/asking.ts"
import { dashboard, formPaths } from "../with-billing.ts"
import { type aBrowser, textOf } from "./people.ts"

/** A caller's own API, with the path after the host. */
export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Response>

/**
 * Calls every route of the API with the contract's own example, and expects that none fails: it may refuse.
 */
export async function everyRoute(call: Call, ref: string): Promise<void> {
  // As declared.
  const all = Object.values(routes).flatMap((group) => Object.entries(group)) as [RouteName, Route][]
  for (const [name, route] of all.filter(([one]) => !one.startsWith("remove"))) {
    const { parameters = {}, body } = examples[name]
    const given: Record<string, string | number> = { ...parameters, customer_ref: ref }
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
      encodeURIComponent(given[key] ?? "unknown"),
    )
    for (const accept of name === "listEvents" ? ["application/json", "text/event-stream"] : ["*/*"]) {
      const headers = {
        accept,
        ...(route.request?.headers ? { "idempotency-key": crypto.randomUUID() } : {}),
      }
      const answer = await call(route.method.toUpperCase(), path, body, headers)
      const said = await textOf(answer)
      expect([name, answer.status === 500 ? said : ""]).toEqual([name, ""])
    }
  }
}

/** What ends a sign-in, a membership or a number comes last. */
const ends = /sign-out|leave|delete|unlink/
const isForm = new Set(formPaths.map((path) => `GET ${path}`))

/** Every page, stream and form of the dashboard, as its routes have them: `POST /numbers/:ref/restart`. */
const doors = [
  ...new Set(
    dashboard.routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method} ${path}`)
      .filter((door) => !isForm.has(door)),
  ),
].toSorted((a, b) => Number(ends.test(a)) - Number(ends.test(b)))

/**
 * Opens every page and stream and sends every form, mostly empty, and expects that none fails: it may refuse.
 */
export async function everyDoor(
  { page }: Pick<ReturnType<typeof aBrowser>, "page">,
  ref: string,
): Promise<void> {
  for (const door of doors) {
    const [method = "", pattern = ""] = door.split(" ")
    const path = pattern
      .replace(":ref", ref)
      .replace(":name", "sendText")
      .replace(/:act\{(\w+).*\}/, "$1")
      .replace(/:\w+/, "unknown")
    const answer = await page(method, path, method === "POST" ? {} : undefined)
    expect([door, answer.status === 500 ? answer.body : ""]).toEqual([door, ""])
  }
}
