import type { z } from "@hono/zod-openapi"
import type { Context } from "hono"
import { ApiError, invalid, issuesOf } from "#core/error.ts"
import type { HostCall } from "#core/lease/signed-call.ts"
import { wellFormedJson } from "#core/platform/well-formed-json.ts"
import type { Session } from "../session/session.ts"
import { isPlanned, planSend } from "./plan-send.ts"

/** The variables of every command: the session that it is for, and the call as the API signed it. */
export interface CommandEnv {
  Variables: { session: Session; call: HostCall }
}

/** The parts of a contract's route that commands use. */
export interface Route {
  method: string
  path: string
  request?: {
    params?: z.ZodObject
    query?: z.ZodType
    body?: { required?: boolean; content: { "application/json": { schema: z.ZodType } } }
  }
  responses?: object
}

/** A call to a session: a route of the contract with its handler. */
export interface Command<Its extends Route = Route> {
  route: Its
  run: (c: Context<CommandEnv>) => Promise<Response>
  /** Does what a call with this body was planned to do. */
  repeat: (planned: { session: Session; call: HostCall; body: unknown }) => Promise<Response>
}

type BodyOf<Its> = Its extends {
  request: { body: { content: { "application/json": { schema: infer Schema } } } }
}
  ? z.output<Schema>
  : undefined
type ParamsOf<Its> = Its extends { request: { params: infer Schema } } ? z.output<Schema> : object
type QueryOf<Its> = Its extends { request: { query: infer Schema } } ? z.output<Schema> : undefined
type AnswerOf<Its> = Its extends {
  responses: { 200: { content: { "application/json": { schema: infer Schema } } } }
}
  ? z.input<Schema>
  : never

/** One call, its input checked once more against the contract. */
export interface Called<Its = unknown> {
  session: Session
  call: HostCall
  body: BodyOf<Its>
  params: Omit<ParamsOf<Its>, "customer_ref">
  query: QueryOf<Its>
}

/**
 * A command that answers a route. An answer that is not a `Response` is the JSON of a success.
 * The handler may throw ApiError; input that the contract does not allow is `invalid_request`.
 */
export function command<const Its extends Route>(
  route: Its,
  answer: (called: Called<Its>) => Promise<AnswerOf<Its> | Response> | AnswerOf<Its> | Response,
): Command<Its> {
  const run = async (called: object) => {
    // The parts of the call were checked against the route's schemas.
    const made = await answer(called as Called<Its>)
    if (made instanceof Response) return made
    return new Response(wellFormedJson(made), { headers: { "content-type": "application/json" } })
  }
  return {
    route,
    run: async (c) => {
      const input = await inputOf(route, c)
      const path = suffixOf(route.path)
      if (isPlanned(path, input.body)) return await planSend(path, c.var, input.body)
      return await run({ ...c.var, ...input })
    },
    repeat: async ({ body, ...of }) =>
      await run({ ...of, body: checked(route.request!.body!.content["application/json"].schema, body) }),
  }
}

/** The path at the host: the part of the public path after `/proxy`. */
export function suffixOf(path: string): string {
  return path.replace(/^.*\/proxy/, "")
}

/** A page; `next` leads to the page after it. */
export function pageResponse(page: object[], next: string | undefined): Response {
  const headers = { "content-type": "application/json", ...(next !== undefined && { "x-next-after": next }) }
  return new Response(wellFormedJson(page), { headers })
}

async function inputOf({ request }: Route, c: Context<CommandEnv>) {
  return {
    params: request?.params && paramsOf(request.params, c.req.param()),
    query: request?.query && checked(request.query, c.req.query()),
    body:
      request?.body &&
      checked(request.body.content["application/json"].schema, await jsonOf(c, request.body)),
  }
}

/** The bridge's reference is not part of a path at a host. */
function paramsOf({ shape }: z.ZodObject, given: Record<string, string>): object {
  const names = Object.keys(given).filter((name) => name in shape)
  return Object.fromEntries(names.map((name) => [name, checked(shape[name] as z.ZodType, given[name], name)]))
}

function checked(schema: z.ZodType, given: unknown, name?: string): unknown {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw invalid(issuesOf(parsed.error, name))
}

async function jsonOf(c: Context, { required }: { required?: boolean }): Promise<unknown> {
  const text = await c.req.text()
  if (text === "" && required === false) return {}
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError("invalid_request", "the body is not JSON")
  }
}
