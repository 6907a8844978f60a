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

/** An optional JSON body: no body counts as an empty one. */
export function optionalBody<Schema extends z.ZodType>(schema: Schema) {
  return { ...body(schema), required: false }
}

type Refusals = Record<(typeof errorStatus)[ErrorCode], ReturnType<typeof reply<typeof ErrorBody>>>

/** The errors of a route, besides those of every route (400, 401, 403, 429, 500, 503). */
export function refusals(...codes: ErrorCode[]): Partial<Refusals> {
  const always: ErrorCode[] = [
    "invalid_request",
    "unauthorized",
    "forbidden",
    "rate_limited",
    "internal_error",
    "session_unavailable",
  ]
  const byStatus = Map.groupBy([...always, ...codes], (code) => errorStatus[code])
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, reply(`\`${codes.join("`, `")}\``, ErrorBody)]),
  )
}

/** The prefix of the routes to a bridge's session (Contract, "Routes"). */
export const proxy = "/api/instances/{customer_ref}/proxy"

/** Success, with nothing more to say. */
export const Ok = z.object({ ok: z.literal(true) }).openapi("Ok")

/** Why any call about a bridge may be refused. */
export const codesOfBridge = ["not_found", "bridge_moved"] as const

/** Why any call to a session may be refused. */
export const codesOfSession = [...codesOfBridge, "bridge_paused", "bridge_suspended"] as const

/** Why a call that asks something of the network may be refused. */
export const codesOfNetwork = [...codesOfSession, "not_paired", "network_rejected"] as const

/** Why a file that a caller names may not be sent or shown. */
export const codesOfFile = [
  "url_not_allowed",
  "file_limit_reached",
  "media_fetch_failed",
  "media_type_mismatch",
  "payload_too_large",
] as const
