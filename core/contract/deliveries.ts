import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { Attempt, EventId, StoredEvent } from "./delivery.ts"
import { body, Ok, refusals, reply } from "./reply.ts"

const Time = (description: string) =>
  z
    .number()
    .int()
    .openapi({ description: `${description} Unix seconds.` })

/** Contract, "Deliveries" */
export const Deliveries = z
  .object({
    waiting: z.number().int().openapi({ description: "How many events wait for delivery." }),
    resending: z.number().int().openapi({ description: "How many more were asked to be sent again." }),
    head: z.string().optional().openapi({ description: "The id of the event whose turn it is." }),
    oldest_at: Time("When that event happened.").optional(),
    next_attempt_at: Time("When it is tried again, if it waits for that.").optional(),
    failing_since: Time("Since when each attempt has failed.").optional(),
    attempts: z.array(Attempt).openapi({ description: "The latest attempts, newest first." }),
  })
  .openapi("Deliveries")
export type Deliveries = z.infer<typeof Deliveries>

export const DeliveryOfEvent = StoredEvent.omit({ event: true })
  .extend({
    headers: z.record(z.string(), z.string()).openapi({
      description:
        "The headers of the last known attempt; the secret is left out. Empty if no attempt is known.",
    }),
    body: z.string().openapi({ description: "The body that is sent, byte for byte." }),
    attempts: z
      .array(
        Attempt.extend({
          resend: z.boolean().openapi({ description: "It was made because you asked for it." }),
          url: z.string().openapi({ description: 'Where it went, if it failed; else `""`.' }),
          answer: z.string().openapi({
            description: "The first 1,024 bytes of the answer's body, if the attempt failed.",
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
const ofEvent = { params: path.extend({ event_id: EventId }) }

export const listDeliveries = createRoute({
  method: "get",
  path: `${ofBridge}/deliveries`,
  summary: "How far delivery has come: what waits, until when, since when it fails, and the latest attempts",
  request: { params: path },
  responses: { 200: reply("The deliveries of the bridge.", Deliveries), ...refusals("not_found") },
})

export const getDelivery = createRoute({
  method: "get",
  path: `${ofBridge}/deliveries/{event_id}`,
  summary: "What was sent of an event, and what each attempt met with",
  request: ofEvent,
  responses: { 200: reply("The delivery of the event.", DeliveryOfEvent), ...refusals("not_found") },
})

export const retryDelivery = createRoute({
  method: "post",
  path: `${ofBridge}/deliveries/{event_id}/retry`,
  summary: "Try the event whose turn it is now, instead of at the end of its wait",
  description: "The attempt counts among the event's five. Events behind it keep their turn.",
  request: ofEvent,
  responses: {
    202: reply("It is tried now, or an attempt is under way.", Ok),
    ...refusals("not_found", "not_waiting"),
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
  responses: { 200: reply("It is undelivered.", Ok), ...refusals("not_found", "not_waiting") },
})

export const resendSince = createRoute({
  method: "post",
  path: `${ofBridge}/deliveries/resend`,
  summary: "Deliver once more what was given up since a time",
  description:
    "Up to 100 events at once, oldest first. If the answer has `next`, there are more: ask again with it as `after` when some " +
    "have been sent.",
  request: {
    params: path,
    body: body(
      z.object({
        since: z
          .number()
          .int()
          .min(0)
          .max(9_999_999_999)
          .openapi({ description: "Events that were given up at this time or later, Unix seconds." }),
        after: EventId.optional().openapi({ description: "Go on behind this event." }),
      }),
    ),
  },
  responses: {
    202: reply(
      "They will be sent between other events.",
      z.object({
        ok: z.literal(true),
        count: z.number().int().openapi({ description: "How many will be sent." }),
        next: z.string().optional().openapi({ description: "There are more: behind this event." }),
      }),
    ),
    ...refusals("not_found", "invalid_webhook_url"),
  },
})

const Rolled = z.object({
  webhook_secret: z.string().openapi({ description: "The bridge's secret from now on." }),
  overlap_until: z.number().int().openapi({
    description: "Until then the secret that it replaces signs as well. Unix seconds.",
  }),
})

/** Contract, "Replacing a webhook secret" */
export const rollSecret = createRoute({
  method: "post",
  path: `${ofBridge}/webhook-secret/roll`,
  summary: "Replace the webhook secret; for 24 hours both sign",
  description:
    "`X-Webhook-Signature` then has two `v1=`, and `webhook-signature` two signatures, the new secret's first: a receiver that " +
    "accepts either misses nothing. `Authorization` carries the new secret at once.",
  request: { params: path },
  responses: { 200: reply("The new secret.", Rolled), ...refusals("not_found", "secret_overlap") },
})

/** Contract, "Replacing a webhook secret" */
export const finishSecret = createRoute({
  method: "post",
  path: `${ofBridge}/webhook-secret/finish`,
  summary: "Stop signing with the replaced secret now",
  request: { params: path },
  responses: { 200: reply("Only the new secret signs.", Ok), ...refusals("not_found") },
})
