import { createRoute, z } from "@hono/zod-openapi"
import { CustomerRef } from "./bridge.ts"
import { integer, string, text, Timestamp } from "./field-types.ts"
import { body, refusals, reply } from "./route-parts.ts"

const Scope = z.enum(["all", "read", "bridge"]).openapi({
  description:
    "`all`: everything. `read`: everything that changes nothing, without secrets and codes that link a phone. `bridge`: " +
    "everything at one bridge, and nothing else.",
})

/** The end of the year 9999, Unix seconds. A time in milliseconds is later. */
const endOfTime = 253_402_300_799

/** Contract, "Scopes of keys" */
const Key = z
  .object({
    id: string("The key's characters 5 to 16."),
    name: z.string(),
    scope: Scope,
    customer_ref: string("The bridge of a key for one.").optional(),
    created_at: Timestamp,
    created_by: string(
      "The e-mail address of the person who made it, or the `id` of the key that did; absent for one of the operator's.",
    ).optional(),
    expires_at: integer("When it stops working by itself, Unix seconds; absent if it does not.").optional(),
    last_used_at: integer("To the hour, Unix seconds; absent before its first use.").optional(),
  })
  .openapi("ApiKey")

export const listKeys = createRoute({
  method: "get",
  path: "/api/keys",
  summary: "List the API keys of the account",
  responses: { 200: reply("The keys, without their secret parts.", z.array(Key)), ...refusals() },
})

export const createKey = createRoute({
  method: "post",
  path: "/api/keys",
  summary: "Create an API key",
  request: {
    body: body(
      z.object({
        name: text(1, 64).openapi({ description: "What it is for." }),
        scope: Scope.default("all"),
        customer_ref: CustomerRef.optional().openapi({ description: "With the scope `bridge`: which." }),
        expires_at: z
          .int()
          .min(1)
          .max(endOfTime)
          .optional()
          .openapi({
            description:
              "When it stops working, Unix seconds: calls with it are then 401. Absent: not before it is revoked. A key that is " +
              "made with one that expires does so with it, if not before.",
          }),
      }),
    ),
  },
  responses: {
    201: reply(
      "The new key. It is shown only here.",
      Key.omit({ last_used_at: true }).extend({
        key: string("Send it as `Authorization: Bearer`."),
      }),
    ),
    ...refusals("not_found"),
  },
})

export const removeKey = createRoute({
  method: "delete",
  path: "/api/keys/{id}",
  summary: "Revoke an API key",
  description: "It stops working within 30 seconds, and so do the keys that it made.",
  request: {
    params: z.object({
      id: z
        .string()
        .regex(/^[0-9A-Za-z]{12}$/, "12 letters and digits, as `listKeys` gives it")
        .openapi({ description: "As `listKeys` gives it." }),
    }),
  },
  responses: { 204: { description: "Revoked." }, ...refusals("not_found") },
})
