import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { EventType } from "./event.ts"
import { boolean, integer, string } from "./field-types.ts"
import { body, codesOfBridge, Ok, proxy, refusals, reply, codesOfSession } from "./route-parts.ts"
import { EventId, StoredEvent } from "./stored-event.ts"
import { Recovered, webhookInQuery } from "./webhook.ts"

export const Attempt = z
  .object({
    attempt: integer("The number of this attempt at the event, from 1."),
    error: string(
      '`""` on success. With an answer: `redirect`, `client_error` (4xx), `rate_limited` (429), `server_error` (5xx). ' +
        "Without one: `timeout`, `refused`, `unreachable`, `reset`, `dns`, `tls`, `bad_response`, `network`, or `blocked`: not a public " +
        "address.",
    ),
    event: z.string(),
    event_id: z.string(),
    latency_ms: z.int(),
    status_code: integer("0 if there was no answer."),
    success: z.boolean(),
    timestamp: string("ISO 8601."),
  })
  .openapi("DeliveryAttempt")
export type Attempt = z.infer<typeof Attempt>

export const webhookLogs = createRoute({
  method: "get",
  path: `${proxy}/webhook-logs` as const,
  summary: "The latest delivery attempts, newest first",
  request: { params: path },
  responses: { 200: reply("At most 200 attempts.", z.array(Attempt)), ...refusals(...codesOfSession) },
})

/** Contract, "Deliveries" */
export const Deliveries = z
  .object({
    waiting: integer("How many events wait for delivery."),
    resending: integer("How many more were asked to be sent again."),
    head: string("The id of the event whose turn it is.").optional(),
    oldest_at: integer("When that event happened. Unix seconds.").optional(),
    next_attempt_at: integer("When it is tried again, if it waits for that. Unix seconds.").optional(),
    failing_since: integer("Since when each attempt has failed. Unix seconds.").optional(),
    recovered: Recovered.optional(),
    attempts: z.array(Attempt).openapi({ description: "The latest attempts, newest first." }),
  })
  .openapi("Deliveries")
export type Deliveries = z.infer<typeof Deliveries>

export const DeliveryOfEvent = StoredEvent.omit({ event: true })
  .extend({
    headers: z.record(z.string(), z.string()).openapi({
      description:
        "The headers of the last known attempt; the secret and your own headers are left out. Empty if no attempt is known.",
    }),
    body: string("The body that is sent, byte for byte."),
    webhooks: z
      .array(
        z.object({
          id: z.string(),
          state: z.enum(["pending", "delivered", "undelivered", "inbox", "not_wanted"]),
        }),
      )
      .optional()
      .openapi({
        description:
          "If the bridge has further webhooks: what became of the event at each. `not_wanted`: its filters, as they are now, " +
          "leave it out, or the event is from before the webhook.",
      }),
    attempts: z
      .array(
        Attempt.extend({
          resend: boolean("It was made because you asked for it."),
          url: string('Where it went, if it failed; else `""`.'),
          answer: string("The first 1,024 bytes of the answer's body, if the attempt failed."),
          answer_headers: z.record(z.string(), z.string()).openapi({
            description:
              "The first 1,024 bytes of the answer's headers, if the attempt failed; without cookies.",
          }),
        }).openapi("DeliveryAttemptInFull"),
      )
      .openapi({
        description: "Oldest first: failures of the last 7 days, and all of the latest 200 of the bridge.",
      }),
  })
  .openapi("DeliveryOfEvent")
export type DeliveryOfEvent = z.infer<typeof DeliveryOfEvent>

const ofBridge = "/api/instances/{customer_ref}"
const ofEvent = { params: path.extend({ event_id: EventId }), query: webhookInQuery }

export const listDeliveries = createRoute({
  method: "get",
  path: `${ofBridge}/deliveries`,
  summary: "How far delivery has come: what waits, until when, since when it fails, and the latest attempts",
  request: { params: path, query: webhookInQuery },
  responses: { 200: reply("The deliveries of the bridge.", Deliveries), ...refusals(...codesOfBridge) },
})

export const getDelivery = createRoute({
  method: "get",
  path: `${ofBridge}/deliveries/{event_id}`,
  summary: "What was sent of an event, and what each attempt met with",
  request: ofEvent,
  responses: { 200: reply("The delivery of the event.", DeliveryOfEvent), ...refusals(...codesOfBridge) },
})

export const retryDelivery = createRoute({
  method: "post",
  path: `${ofBridge}/deliveries/{event_id}/retry`,
  summary: "Try the event whose turn it is now, instead of at the end of its wait",
  description: "The attempt counts among the event's five. Events behind it keep their turn.",
  request: ofEvent,
  responses: {
    202: reply("It is tried now, or an attempt is under way.", Ok),
    ...refusals(...codesOfBridge, "not_waiting"),
  },
})

export const skipDelivery = createRoute({
  method: "post",
  path: `${ofBridge}/deliveries/{event_id}/skip`,
  summary: "Give up the event whose turn it is, and go on with the next",
  description:
    "The event is undelivered: `listEvents` lists it, and `resendEvent` sends it again. An attempt that is under way is waited " +
    "for, up to 12 s.",
  request: ofEvent,
  responses: { 200: reply("It is undelivered.", Ok), ...refusals(...codesOfBridge, "not_waiting") },
})

const seconds = z.int().min(0).max(9_999_999_999)

/** The undelivered events of a span of time. */
const span = {
  since: seconds.openapi({ description: "Events that were given up at this time or later, Unix seconds." }),
  until: seconds.optional().openapi({ description: "And at this time or before; by default until now." }),
}

export const resendSince = createRoute({
  method: "post",
  path: `${ofBridge}/deliveries/resend`,
  summary: "Deliver once more what was given up since a time",
  description:
    "Oldest first. Where three in a row fail, the rest is not tried. If the answer has `next`, there are more than 10,000: ask again " +
    "with it as `after`. While 100 such requests wait, the answer is 429.",
  request: {
    params: path,
    query: webhookInQuery,
    body: body(
      z.object({
        ...span,
        after: EventId.optional().openapi({ description: "Go on behind this event." }),
      }),
    ),
  },
  responses: {
    202: reply(
      "They will be sent between other events.",
      z.object({
        ok: z.literal(true),
        count: integer("How many will be sent."),
        next: string("There are more: behind this event.").optional(),
      }),
    ),
    ...refusals(...codesOfBridge, "invalid_webhook_url"),
  },
})

export const resendEverywhere = createRoute({
  method: "post",
  path: "/api/deliveries/resend",
  summary:
    "Deliver once more what was given up in a span of time, of all bridges and at all of their webhooks",
  description:
    "As `resendSince` does for each. The answer says what was requested. If it has `next`, not all bridges were looked at: ask again " +
    "with it as `after`.",
  request: {
    body: body(
      z.object({
        ...span,
        after: z
          .string()
          .regex(/^[0-9A-Za-z_-]{0,64}$/, "not the reference of a bridge")
          .optional()
          .openapi({ description: "Go on behind the bridge of this reference." }),
      }),
    ),
  },
  responses: {
    202: reply(
      "They will be sent between other events.",
      z.object({
        ok: z.literal(true),
        count: integer("How many will be sent, in all."),
        requested: z.array(
          z.object({
            customer_ref: z.string(),
            webhook: string("The id of the webhook; `first` is `webhook_url`."),
            count: z.int(),
            all: boolean(
              "False: there are more than 10,000, or too many requests wait there. Ask again once these were sent.",
            ),
          }),
        ),
        next: string("There are more bridges: behind this one.").optional(),
      }),
    ),
    ...refusals(),
  },
})

export const testWebhook = createRoute({
  method: "post",
  path: `${ofBridge}/webhook-test`,
  summary: "Send a signed `test` event to the webhook, or an example of another, and say what it answered",
  description: "Sent at once, ahead of what waits, with `X-Webhook-Test: true`. It is not kept.",
  request: {
    params: path,
    query: webhookInQuery.extend({
      event: EventType.optional().openapi({
        description:
          "The type of the example: what it says has not happened. `test` by default, and of a webhook with a `format` always.",
      }),
    }),
  },
  responses: {
    200: reply("What the receiver did.", Attempt),
    ...refusals(...codesOfBridge, "invalid_webhook_url"),
  },
})
