import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { Event, EventType } from "./event.ts"
import { ChatOfEvents, limit, text, timeInQuery, Timestamp } from "./field-types.ts"
import { codesOfBridge, Ok, refusals, reply } from "./route-parts.ts"
import { webhookInQuery } from "./webhook.ts"

/** An event of a bridge that is kept. */
export const StoredEvent = z
  .object({
    event_id: z.string(),
    state: z.enum(["pending", "delivered", "undelivered", "inbox"]),
    created_at: Timestamp,
    event: Event,
  })
  .openapi("StoredEvent")
export type StoredEvent = z.infer<typeof StoredEvent>

/** Contract, "Deliveries" and "Streams" */
export const listEvents = createRoute({
  method: "get",
  path: "/api/instances/{customer_ref}/events",
  summary: "The events of a bridge, as a list or as they happen",
  description:
    "With `state`, only those that wait, were given up, or went to the hosted inbox. With `Accept: text/event-stream` the " +
    "answer is a stream of new events. Each has its event id as `id`, so a reader that comes back with `Last-Event-ID` " +
    "misses nothing. A stream begins now, or at `since`, and takes only `type`, `chat`, `direction`, `search` and `since`. It begins " +
    "with an `id` alone, its place; each comment has one, too, so that also a reader who wants few events can go on where it was. " +
    "If events behind `Last-Event-ID` are no longer kept, a message `event: missed` says how many there were, of all types " +
    'and chats: `{"missed": 94}`. At most 5 streams of a bridge and 20 of an account are open at once. Beyond that the answer ' +
    "is 429 until one has ended.",
  request: {
    params: path,
    query: z
      .object({
        state: z
          .enum(["inbox", "undelivered", "pending"])
          .optional()
          .openapi({ description: "Without it, every event that is kept, delivered ones included." }),
        webhook: webhookInQuery.shape.webhook.openapi({
          description:
            "With `state`: the webhook at which it is so, by its id; `first` unless you say another. Of another, `pending` has " +
            "also what its filters let through.",
        }),
        type: z
          .preprocess(
            (given) => (typeof given === "string" ? given.split(",") : given),
            z.array(EventType).min(1),
          )
          .optional()
          .openapi({
            param: { style: "form", explode: false },
            description: "Only events of these types, with commas in between.",
          }),
        chat: ChatOfEvents.optional(),
        direction: z.enum(["in", "out"]).optional().openapi({
          description:
            "`in`: only what others wrote, and calls. `out`: only what was written on the phone or another of its devices.",
        }),
        search: text(1, 100)
          .optional()
          .openapi({ description: "Only events in which this text is, in whichever case." }),
        since: timeInQuery("Only events from this time on, Unix seconds."),
        after: text(0, 64).optional().openapi({ description: "The last event id of the previous page." }),
        order: z.enum(["oldest", "newest"]).default("oldest").openapi({ description: "Which comes first." }),
        limit: limit.default(100),
      })
      .refine(({ webhook, state }) => webhook === "first" || state !== undefined, {
        path: ["webhook"],
        message: "only with `state`: without one, the events are the bridge's",
      }),
  },
  responses: {
    200: {
      description:
        "`limit` events or fewer: a page ends early if its events are large, or if the filters match few. The header " +
        "`X-Next-After` is there while there may be more: give it as `after`. An event that has waited for 30 days is " +
        "`undelivered`. Undelivered events and the inbox are kept for 30 days, delivered events for 7. As a stream: server-sent " +
        "events, each `data:` is one event as in the list.",
      content: {
        "application/json": { schema: z.array(StoredEvent) },
        "text/event-stream": { schema: z.string() },
      },
    },
    ...refusals(...codesOfBridge),
  },
})

/** The id of an event in a path. */
export const EventId = z
  .string()
  .regex(/^evt_(?:[a-z2-7]{8})?[a-z2-7]{32}$/, "`evt_` and 40 letters and digits, as `listEvents` gives it")
  .openapi({ description: "As `listEvents`, `webhookLogs` and the header `X-Webhook-Event-Id` give it." })

/** Contract, "Deliveries" */
export const resendEvent = createRoute({
  method: "post",
  path: "/api/instances/{customer_ref}/events/{event_id}/resend",
  summary: "Deliver an event once more, under the same id",
  description:
    "At most 100 events can wait to be sent again to a webhook. Beyond that the answer is 429 until some have been sent.",
  request: { params: path.extend({ event_id: EventId }), query: webhookInQuery },
  responses: {
    202: reply("It will be sent between two other events.", Ok),
    ...refusals(...codesOfBridge, "invalid_webhook_url"),
  },
})
