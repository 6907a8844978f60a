import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { Event, EventType } from "./event.ts"
import { Ok, proxy, refusals, reply, unreachable } from "./reply.ts"

/** Contract, "Delivery log" */
export const Attempt = z
  .object({
    attempt: z.number().int().openapi({ description: "The number of this attempt at the event, from 1." }),
    error: z.string().openapi({
      description:
        '`""` on success. With an answer: `redirect`, `client_error` (4xx), `rate_limited` (429), `server_error` (5xx). ' +
        "Without one: `timeout`, `refused`, `unreachable`, `reset`, `dns`, `tls`, `bad_response`, `network`, or `blocked`: not a public " +
        "address.",
    }),
    event: z.string(),
    event_id: z.string(),
    latency_ms: z.number().int(),
    status_code: z.number().int().openapi({ description: "0 if there was no answer." }),
    success: z.boolean(),
    timestamp: z.string().openapi({ description: "ISO 8601." }),
  })
  .openapi("DeliveryAttempt")
export type Attempt = z.infer<typeof Attempt>

export const webhookLogs = createRoute({
  method: "get",
  path: `${proxy}/webhook-logs` as const,
  summary: "The latest delivery attempts, newest first",
  request: { params: path },
  responses: { 200: reply("At most 200 attempts.", z.array(Attempt)), ...refusals(...unreachable) },
})

/** An event of a bridge that is kept. */
export const StoredEvent = z
  .object({
    event_id: z.string(),
    state: z.enum(["pending", "delivered", "undelivered", "inbox"]),
    created_at: z.number().int().openapi({ description: "Unix seconds." }),
    event: Event,
  })
  .openapi("StoredEvent")
export type StoredEvent = z.infer<typeof StoredEvent>

/** Contract, "Listing and resending" and "Event stream" */
export const listEvents = createRoute({
  method: "get",
  path: "/api/instances/{customer_ref}/events",
  summary: "The events of a bridge, as a list or as they happen",
  description:
    "With `state`, only those that wait, were given up, or went to the hosted inbox. With `Accept: text/event-stream` the " +
    "answer is a stream of new events. Each has its event id as `id`, so a reader that comes back with `Last-Event-ID` " +
    "misses nothing. A stream begins now, or at `since`, and takes only `type`, `chat` and `since`. At most 5 streams of a " +
    "bridge and 20 of an account are open at once. Beyond that the answer is 429 until one has ended.",
  request: {
    params: path,
    query: z.object({
      state: z
        .enum(["inbox", "undelivered", "pending"])
        .optional()
        .openapi({ description: "Without it, every event that is kept, delivered ones included." }),
      type: EventType.optional().openapi({ description: "Only events of this type." }),
      chat: z
        .string()
        .min(1)
        .max(128)
        .optional()
        .openapi({ description: "Only events with this `chat_id`; digits, or a JID." }),
      since: z.coerce
        .number()
        .int()
        .min(0)
        .max(9_999_999_999)
        .optional()
        .openapi({ type: "integer", description: "Only events from this time on, Unix seconds." }),
      after: z
        .string()
        .max(64)
        .optional()
        .openapi({ description: "The last event id of the previous page." }),
      order: z.enum(["oldest", "newest"]).default("oldest").openapi({ description: "Which comes first." }),
      limit: z.coerce.number().int().min(1).max(100).default(100),
    }),
  },
  responses: {
    200: {
      description:
        "`limit` events or fewer: a page ends early if its events are large, or if `type` and `chat` match few. The header " +
        "`X-Next-After` is there while there may be more: give it as `after`. An event that has waited for 30 days is " +
        "`undelivered`. Undelivered events and the inbox are kept for 30 days, delivered events for 7. As a stream: server-sent " +
        "events, each `data:` is one event as in the list.",
      content: {
        "application/json": { schema: z.array(StoredEvent) },
        "text/event-stream": { schema: z.string() },
      },
    },
    ...refusals("not_found"),
  },
})

export const EventId = z
  .string()
  .regex(/^evt_(?:[a-z2-7]{8})?[a-z2-7]{32}$/, "`evt_` and 40 letters and digits, as `listEvents` gives it")
  .openapi({ description: "As `listEvents`, `webhookLogs` and the header `X-Webhook-Event-Id` give it." })

/** Contract, "Listing and resending" */
export const resendEvent = createRoute({
  method: "post",
  path: "/api/instances/{customer_ref}/events/{event_id}/resend",
  summary: "Deliver an event once more, under the same id",
  description:
    "At most 100 events of a bridge can wait to be sent again. Beyond that the answer is 429 until some have been sent.",
  request: { params: path.extend({ event_id: EventId }) },
  responses: {
    202: reply("It will be sent between two other events.", Ok),
    ...refusals("not_found", "invalid_webhook_url"),
  },
})

/** Contract, "Listing and resending" */
export const testWebhook = createRoute({
  method: "post",
  path: "/api/instances/{customer_ref}/webhook-test",
  summary: "Send a signed `test` event to the webhook, and say what it answered",
  request: { params: path },
  responses: {
    200: reply("What the receiver did.", Attempt),
    ...refusals("not_found", "invalid_webhook_url"),
  },
})
