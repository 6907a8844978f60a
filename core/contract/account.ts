import { createRoute, z } from "@hono/zod-openapi"
import { CustomerRef } from "./bridge.ts"
import { text } from "./field-types.ts"
import { body, refusals, reply } from "./route-parts.ts"

const Account = z
  .object({
    id: z.string(),
    name: z.string().openapi({
      description:
        "As its owners chose it in the dashboard. Before that, the e-mail address of the person who signed up.",
    }),
    subscription: z.enum(["none", "trialing", "active", "past_due", "unpaid", "canceled"]).openapi({
      description:
        "`active` and `trialing` may create bridges; while `unpaid` or `canceled`, existing bridges do not run.",
    }),
    bridges: z.number().int().openapi({ description: "How many there are; the sandbox does not count." }),
    bridge_limit: z.number().int().openapi({ description: "How many there may be." }),
    created_at: z.number().int().openapi({ description: "Unix seconds." }),
  })
  .openapi("Account")

export const getAccount = createRoute({
  method: "get",
  path: "/api/account",
  summary: "Get the account that the key belongs to",
  responses: { 200: reply("The account.", Account), ...refusals() },
})

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
    id: z.string().openapi({ description: "The key's characters 5 to 16." }),
    name: z.string(),
    scope: Scope,
    customer_ref: z.string().optional().openapi({ description: "The bridge of a key for one." }),
    created_at: z.number().int().openapi({ description: "Unix seconds." }),
    created_by: z.string().optional().openapi({
      description:
        "The e-mail address of the person who made it, or the `id` of the key that did; absent for one of the operator's.",
    }),
    expires_at: z
      .number()
      .int()
      .optional()
      .openapi({ description: "When it stops working by itself, Unix seconds; absent if it does not." }),
    last_used_at: z
      .number()
      .int()
      .optional()
      .openapi({ description: "To the hour, Unix seconds; absent before its first use." }),
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
          .number()
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
        key: z.string().openapi({ description: "Send it as `Authorization: Bearer`." }),
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

/** Contract, "Requests" */
const ApiRequest = z
  .object({
    request_id: z.string().openapi({ description: "As `X-Request-Id` of the answer said it." }),
    timestamp: z.iso.datetime().openapi({ description: "When it was answered." }),
    method: z.string(),
    path: z.string().openapi({ description: "Without its query; at most 300 characters of it." }),
    status: z.number().int(),
    code: z.string().optional().openapi({ description: "The error's code, if the call was refused." }),
    error: z.string().optional().openapi({ description: "The error's sentence, if the call was refused." }),
    key_id: z.string().openapi({ description: "The key, as `listKeys` gives it." }),
    key_name: z.string().optional().openapi({ description: "Its name; absent once it is revoked." }),
    ms: z.number().int().openapi({ description: "How long the answer took." }),
    left_out: z.number().int().openapi({
      description: "How many calls just before it were left out, since there were too many; usually 0.",
    }),
  })
  .openapi("ApiRequest")
export type ApiRequest = z.infer<typeof ApiRequest>

export const listRequests = createRoute({
  method: "get",
  path: "/api/requests",
  summary: "List calls of the account's programs: those that were refused, and those that changed something",
  description:
    "Newest first, for 7 days, without bodies. A call that only read is not here, nor one to a session that succeeded: `listSent` has " +
    "what was sent. A call with a key that has expired, or was revoked in the last 30 days, is here; one with any other wrong key belongs to no account. After a hundred calls at once one in five seconds is kept, and says " +
    "how many were left out.",
  request: {
    query: z.object({
      refused: z
        .enum(["true", "false"])
        .optional()
        .openapi({ description: "Only refused ones, or only others." }),
      after: z
        .string()
        .regex(/^\d{13}\.[0-9a-f]{8}$/, "not the `X-Next-After` of a page before")
        .optional()
        .openapi({ description: "The `X-Next-After` of the page before." }),
      limit: z.coerce.number().int().min(1).max(100).default(50),
    }),
  },
  responses: {
    200: reply(
      "A page. The header `X-Next-After` is there while there may be more: give it as `after`.",
      z.array(ApiRequest),
    ),
    ...refusals(),
  },
})

const Day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, "a date, as 2026-11-22")
  .openapi({ example: "2026-11-22" })

/** Contract, "Usage" */
const Usage = z
  .object({
    date: z.string().openapi({ description: "In UTC." }),
    customer_ref: z.string(),
    events: z.number().int().openapi({ description: "Delivered, or put into the inbox." }),
    messages: z.number().int().openapi({ description: "How many of these were of the type `message`." }),
    messages_in: z.number().int().openapi({
      description:
        "Incoming messages, except those switched off by `events` or `ignore`. Counted by the session, and up to ten minutes late here.",
    }),
    messages_out: z.number().int().openapi({
      description:
        "Messages that were sent through the API, or written on the phone; counted in the same way. A send that was answered with 504 is counted once the network has acknowledged it.",
    }),
    undelivered: z.number().int().openapi({
      description: "Given up, without those that were sent again and delivered on the same day.",
    }),
    attempts: z
      .number()
      .int()
      .openapi({ description: "POSTs of events, also of those that were sent again." }),
    success: z.number().openapi({ description: "The share of attempts that succeeded; 1 without attempts." }),
    p95_ms: z.number().int().openapi({
      description:
        "What 95 of 100 attempts did not exceed, rounded up to 25, 50, 100, 200, 400, 800, 1,600, 3,200, 6,400 or 10,000.",
    }),
  })
  .openapi("Usage")
export type UsageRow = z.infer<typeof Usage>

export const getUsage = createRoute({
  method: "get",
  path: "/api/usage",
  summary: "What the bridges of the account delivered, day by day",
  request: {
    query: z.object({
      from: Day.optional().openapi({ description: "The first day; 30 days ago, unless you say otherwise." }),
      to: Day.optional().openapi({ description: "The last day; today, unless you say otherwise." }),
    }),
  },
  responses: {
    200: reply("A row for each bridge and day on which something happened, oldest first.", z.array(Usage)),
    ...refusals(),
  },
})
