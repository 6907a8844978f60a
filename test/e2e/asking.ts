import { isDeepStrictEqual } from "node:util"
import type { z } from "zod"
import { isSend } from "#contract/idempotency-key.ts"
import type { AnyWhole } from "./whole-service.ts"

/** The parts of a route of the contract that are read here. */
export interface Route {
  method: string
  path: string
  request?: { headers?: unknown }
  responses: Record<number, { content?: Record<string, { schema: z.ZodType }> }>
}

interface Asked {
  ref?: string
  /** Parameters of the path and the query. */
  with?: Record<string, string | number>
  body?: unknown
}

interface SaidByPage {
  status: number
  headers: Headers
  json: unknown
  bytes: Buffer
}

/** One call of a route: returns a success in the contract's form, or throws. */
export type Ask = (asked?: Asked) => Promise<SaidByPage>

/** How a customer calls this route. `onJson` gets every JSON answer. */
export function asking(whole: AnyWhole, route: Route, onJson: (json: unknown) => void): Ask {
  return async (asked = {}) => {
    // Only routes that send a message take the header, which makes two calls one message.
    const headers = isSend(route) ? { "idempotency-key": crypto.randomUUID() } : undefined
    const call = async () => {
      const answer = await whole.call(route.method.toUpperCase(), urlOf(route, asked), asked.body, headers)
      return await asDocumented(route, answer)
    }
    const said = await call()
    if (headers) checkReplay(said, await call())
    if (said.json !== undefined) onJson(said.json)
    return said
  }
}

export function successesOf({ responses }: Route): number[] {
  return Object.keys(responses)
    .map(Number)
    .filter((status) => status < 300)
}

function urlOf({ path }: Route, { ref = "shop", with: given = {} }: Asked): string {
  const all: Record<string, string | number> = { customer_ref: ref, ...given }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(all[key] ?? ""))
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(given))
    if (!path.includes(`{${key}}`)) query.set(key, String(value))
  return query.size > 0 ? `${filled}?${query.toString()}` : filled
}

const always = ["x-request-id", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"]

/** @throws when it is not exactly one of the documented successes */
async function asDocumented(route: Route, answer: Response): Promise<SaidByPage> {
  const bytes = Buffer.from(await answer.arrayBuffer())
  const { status, headers } = answer
  if (!successesOf(route).includes(status)) throw new Error(`${status}: ${bytes.toString()}`)
  for (const header of always) if (!headers.get(header)) throw new Error(`without ${header}`)
  if (headers.get("x-content-type-options") !== "nosniff") throw new Error("may be sniffed")

  const [type = "", content] = Object.entries(route.responses[status]?.content ?? {})[0] ?? []
  const said = headers.get("content-type") ?? ""
  // Media carry their sender's type.
  if (type !== "application/octet-stream" && !said.startsWith(type))
    throw new Error(`${type} came as ${said}`)
  if (type !== "application/json") return { status, headers, bytes, json: undefined }
  const json: unknown = JSON.parse(bytes.toString())
  // Parsing drops whatever the contract does not have, at any depth.
  if (!isDeepStrictEqual(content!.schema.parse(json), json))
    throw new Error(`more than is documented: ${bytes.toString()}`)
  return { status, headers, bytes, json }
}

function checkReplay(first: SaidByPage, again: SaidByPage): void {
  if (again.headers.get("x-idempotency-replayed") !== "true") throw new Error("sent twice under one key")
  if (!again.bytes.equals(first.bytes)) throw new Error(`replayed as ${again.bytes.toString()}`)
}
