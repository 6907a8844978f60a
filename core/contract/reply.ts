import { z } from "@hono/zod-openapi"
import { ErrorBody, type ErrorCode, errorStatus } from "./error.ts"

/** A JSON answer. */
export function reply<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { "application/json": { schema } } }
}

/** A required JSON body. */
export function body<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { "application/json": { schema } } }
}

/** A JSON body of which nothing is required: none is as good as an empty one. */
export function optionalBody<Schema extends z.ZodType>(schema: Schema) {
  return { ...body(schema), required: false }
}

type Refusals = Record<(typeof errorStatus)[ErrorCode], ReturnType<typeof reply<typeof ErrorBody>>>

/** The errors a route may answer with, beside those of every route (401, 429, 500, 503). */
export function refusals(...codes: ErrorCode[]): Partial<Refusals> {
  const always: ErrorCode[] = [
    "invalid_request",
    "unauthorized",
    "rate_limited",
    "internal_error",
    "session_unavailable",
  ]
  const byStatus = Map.groupBy([...always, ...codes], (code) => errorStatus[code])
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, reply(`\`${codes.join("`, `")}\``, ErrorBody)]),
  )
}

/** Where the routes of a bridge's session are (§1). */
export const proxy = "/api/instances/{customer_ref}/proxy"

/** Done, with nothing more to say. */
export const Ok = z.object({ ok: z.literal(true) }).openapi("Ok")

/** Why a call to a session may be refused, whatever it asks. */
export const unreachable = ["not_found", "bridge_paused", "bridge_suspended"] as const

/** Why one may be that asks something of the network. */
export const asking = [...unreachable, "not_paired", "network_rejected"] as const
