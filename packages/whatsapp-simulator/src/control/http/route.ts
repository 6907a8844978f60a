import { type OpenAPIHono, z } from "@hono/zod-openapi"
import type { Context } from "hono"
import { Refused } from "../schemas.ts"
import { ControlError } from "./errors.ts"

type Nothing = z.ZodUndefined

/** A path's input and answer. */
interface Spec<Body extends z.ZodType, Query extends z.ZodObject, Answer extends z.ZodType> {
  method: "get" | "post" | "patch" | "delete"
  /** As OpenAPI writes it, `/phones/{number}`. */
  path: string
  summary: string
  body?: Body
  query?: Query
  answer: Answer
  status?: 200 | 201
}

interface Asked<Body, Query> {
  params: Record<string, string>
  body: Body
  query: Query
  /** Fires when the caller has gone. */
  signal: AbortSignal
}

/** Adds a path to the app and its document. A body counts as JSON whatever its content type says. */
export function route<
  Answer extends z.ZodType,
  Body extends z.ZodType = Nothing,
  Query extends z.ZodObject = z.ZodObject,
>(
  app: OpenAPIHono,
  spec: Spec<Body, Query, Answer>,
  handle: (asked: Asked<z.output<Body>, z.output<Query>>) => z.input<Answer> | Promise<z.input<Answer>>,
) {
  const { method, path, summary, status = 200 } = spec
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "")
  app.openAPIRegistry.registerPath({
    method,
    path,
    summary,
    request: {
      ...(names.length > 0 && {
        params: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))),
      }),
      ...(spec.query && { query: spec.query }),
      ...(spec.body && { body: { content: { "application/json": { schema: spec.body } } } }),
    },
    responses: {
      [status]: { description: "Done.", content: { "application/json": { schema: spec.answer } } },
      default: { description: "Refused.", content: { "application/json": { schema: Refused } } },
    },
  })
  app.on(method.toUpperCase(), path.replace(/\{(\w+)\}/g, ":$1"), async (c) => {
    const answer = await handle({
      params: c.req.param() as Record<string, string>,
      // Without a schema there is no body, as the types say.
      body: (spec.body ? spec.body.parse(await jsonBody(c)) : undefined) as z.output<Body>,
      query: (spec.query ? spec.query.parse(c.req.query()) : {}) as z.output<Query>,
      signal: c.req.raw.signal,
    })
    // Only what is JSON is answered.
    return c.json(answer as object, status)
  })
}

/** The body; an empty one is an empty object. @throws ControlError */
export async function jsonBody(c: Context): Promise<unknown> {
  const text = await c.req.text()
  try {
    return text === "" ? {} : (JSON.parse(text) as unknown)
  } catch {
    throw new ControlError(400, "invalid_json", "the body is not JSON")
  }
}
