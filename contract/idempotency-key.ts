import { z } from "@hono/zod-openapi"

const printable = /^[\x20-\x7e]{1,255}$/

/** Contract, "Idempotency". Parsed apart from the routes, since a fault in it has its own code. */
export const IdempotencyKey = z.string().regex(printable, "1 to 255 printable characters")

/** The headers of a route that takes an Idempotency-Key. */
export const idempotencyHeaders = z.object({
  "idempotency-key": z.string().optional().openapi({
    description:
      "1 to 255 printable characters, unique for each message, or change of a group; send the header once.",
    minLength: 1,
    maxLength: 255,
    pattern: printable.source,
  }),
})

/**
 * Whether this route sends a message to others, creates a group, or invites people to one. Exactly those take
 * an Idempotency-Key.
 */
export function isSend(route: { request?: { headers?: unknown } | undefined }): boolean {
  return route.request?.headers === idempotencyHeaders
}

/**
 * Why a call under an Idempotency-Key may have sent, or created, nothing; or may have, for all that is known.
 */
export const codesOfSend = [
  "storage_full",
  "pacing",
  "send_outcome_unknown",
  "idempotency_conflict",
  "invalid_idempotency_key",
] as const
