import { createRoute, z } from "@hono/zod-openapi"
import { path, UrlOfWebhook } from "./bridge.ts"
import { Event, EventType, Ignored } from "./event.ts"
import { boolean, ChatAddress, GroupId, integer, someOf, string, text, Timestamp } from "./field-types.ts"
import { codesOfBridge, body, Ok, refusals, reply } from "./route-parts.ts"

/** Headers that prove a delivery, belong to the connection, or say what the body is. */
const reserved =
  /^(?:x-webhook-.*|webhook-.*|content-.*|proxy-.*|sec-.*|host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|accept-encoding|date|via)$/i

const headerNames =
  "a header's name has 1 to 64 letters, digits and dashes, and none of X-Webhook-*, Webhook-*, Content-*, Proxy-*, Sec-*, " +
  "Host, Date, Via, or that of another header of the connection can be chosen"
const HeaderName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/, headerNames)
  .refine((name) => !reserved.test(name), headerNames)
const HeaderValue = z
  .string()
  .regex(
    /^[!-~](?:[ -~]{0,1022}[!-~])?$/,
    "1 to 1,024 printable ASCII characters, without spaces at its ends",
  )
  .refine((value) => value !== mask, "`***` stands for a value that is not shown: give the value")
  .openapi({ pattern: "^(?!\\*{3}$)[!-~](?:[ -~]{0,1022}[!-~])?$" })

/** What stands for a header's value in answers. */
export const mask = "***"

const ChosenHeaders = z
  .record(HeaderName, HeaderValue)
  .refine((headers) => Object.keys(headers).length <= 10, "at most 10 headers")
  .refine(
    (headers) =>
      new Set(Object.keys(headers).map((name) => name.toLowerCase())).size === Object.keys(headers).length,
    "a header is there twice",
  )
  .refine(
    (headers) => Object.entries(headers).flat().join("").length <= 2048,
    "at most 2,048 characters together",
  )

/** A record leaves this name out without a word. */
const Headers = z.preprocess((given, context) => {
  if (typeof given === "object" && given !== null && Object.hasOwn(given, "__proto__"))
    context.addIssue({ code: "custom", path: ["__proto__"], message: headerNames })
  return given
}, ChosenHeaders)

const Batch = z.int().min(1).max(50).nullish().openapi({
  description:
    'Up to so many events in one POST, 1 to 50: see "Batches". Null: one event for each POST, in the usual form.',
})

/** The languages of other gateways, in which a webhook may get its events (Contract, "Other gateways"). */
export const Format = z.enum(["evolution", "waha"])
export type Format = z.infer<typeof Format>

/** What the webhooks of those gateways choose, and no filter of ours says. */
export const FormatOptions = z.object({
  events: z.array(text(1, 64)).max(50).optional().openapi({
    description: "The events that it gets, by the names that they have in this format; by default all.",
  }),
  media: boolean(
    "Whether a message brings its file along, in base64, up to 10 MB. It comes without where it cannot be had at once, and on AWS always.",
  ).optional(),
  path_per_event: boolean(
    "Whether each event is posted to a path of its own behind the URL, such as `/messages-upsert`. Only of `evolution`.",
  ).optional(),
  hmac_key: text(1, 256).optional().openapi({
    description: "The key of `X-Webhook-Hmac`, which then stands beside our signatures. Only of `waha`.",
  }),
})
export type FormatOptions = z.infer<typeof FormatOptions>

/** What a webhook may choose. What is not given stays as it is. */
export const chosen = {
  events: z.array(EventType).max(50).nullish().openapi({
    description:
      "The types of events that it gets, of those that the bridge gets; null is all, including those of later releases.",
  }),
  ignore: z.array(Ignored).max(50).optional().openapi({
    description: "Chats whose events it does not get: `status`, `groups`; `[]` is none.",
  }),
  chats: z
    .array(ChatAddress)
    .min(1)
    .max(50)
    .nullish()
    .openapi({
      description:
        "The chats whose events it gets, and no event of no chat; null is all events. Named as `chat_id` of events names them: a " +
        "person by their phone number, and by their LID only where the number is unknown.",
    }),
  headers: Headers.nullish().openapi({
    description:
      "Headers that each of its POSTs has besides; they replace those of before, and null ends them. At most 10, and 2,048 " +
      "characters together. `Authorization` replaces the one with the secret. They are secret: answers show `***`.",
  }),
  batch: Batch,
  format: Format.nullish().openapi({
    description:
      "Events come as Evolution API or WAHA post them, from the next attempt on; null: in our own form. An event that has no counterpart " +
      "there is not sent. Not with `batch`.",
  }),
  format_options: FormatOptions.nullish().openapi({
    description:
      "What that format leaves open; it replaces the options of before, and null ends them. Only with `format`.",
  }),
  healing: boolean(
    "Whether what was given up while the receiver failed is sent again by itself, in order, once it answers again; it is unless you " +
      "say false.",
  ).optional(),
}

/** What a filter would never let through. */
export function withFilterRules<Schema extends z.ZodType<Filtered>>(schema: Schema) {
  return schema
    .refine(
      ({ chats, ignore }) =>
        !(ignore?.includes("groups") && chats?.some((chat) => GroupId.safeParse(chat).success)),
      {
        path: ["ignore"],
        message: "`groups` leaves out the groups of `chats`: give one without the other",
      },
    )
    .refine(({ chats, events }) => !chats || !events || events.some((type) => ofChats.has(type)), {
      path: ["events"],
      message: "none of these is of a chat, and with `chats` no other is sent",
    })
}

interface Filtered {
  events?: EventType[] | null | undefined
  ignore?: string[] | undefined
  chats?: string[] | null | undefined
}

/** The types of events that say of which chat they are. */
const ofChats = new Set<string>(
  Event.options.flatMap(({ shape }) => ("chat_id" in shape ? [shape.event.value] : [])),
)

/** Contract, "Healing" */
export const Recovered = z
  .object({
    at: integer("When the first of the events was taken again. Unix seconds."),
    events: integer("How many were taken."),
    left: integer("How many failed again while others were taken, and stay undelivered."),
    took_ms: integer("How long it took, in milliseconds."),
  })
  .openapi({ description: "What it got again by itself when its receiver was last back." })

/** Contract, "Webhooks" */
export const Webhook = z
  .object({
    id: string("`first` is `webhook_url`."),
    url: string('Of `first`, `""` is the hosted inbox.'),
    secret: string('Authenticates its deliveries: see "Receive". `""` for a key that may only read.'),
    secret_overlap_until: integer(
      "The secret was replaced: until then the one before signs as well. Unix seconds.",
    ).optional(),
    events: z
      .array(EventType)
      .openapi({ description: "The types of events that it gets, of those that the bridge gets." }),
    ignore: z.array(Ignored),
    chats: z.array(z.string()).nullable().openapi({ description: "JIDs; null is all." }),
    headers: z.record(z.string(), z.string()).openapi({ description: "Each value is `***`." }),
    batch: z.int().nullable(),
    format: Format.nullable().openapi({ description: "Null: our own." }),
    format_options: FormatOptions.openapi({ description: "The `hmac_key` is `***`." }),
    healing: boolean("Whether what was given up is sent again by itself, once the receiver answers again."),
    state: z.enum(["active", "paused"]),
    created_at: Timestamp,
    failing_since: integer("Since when each attempt has failed. Unix seconds.").optional(),
    recovered: Recovered.optional(),
    missed: z
      .object({
        events: integer("How many events of the bridge, whichever they were."),
        first: string('The id of the first; `""` if it was kept no more.'),
        at: integer("When it last passed over some. Unix seconds."),
      })
      .optional()
      .openapi({ description: "The events that had waited for longer than seven days, and are not sent." }),
  })
  .openapi("Webhook")

const webhooks = "/api/instances/{customer_ref}/webhooks"
const one = `${webhooks}/{webhook_id}` as const
const onePath = path.extend({
  webhook_id: z
    .string()
    .max(64)
    .openapi({ description: "As `listWebhooks` gives it; `first` is `webhook_url`." }),
})

export const listWebhooks = createRoute({
  method: "get",
  path: webhooks,
  summary: "The webhooks of a bridge, `webhook_url` first",
  request: { params: path },
  responses: { 200: reply("One to five.", z.array(Webhook)), ...refusals(...codesOfBridge) },
})

export const createWebhook = createRoute({
  method: "post",
  path: webhooks,
  summary: "Add a webhook: it gets each event from now on, besides the others",
  description:
    "A bridge has up to five. Each is delivered in order and at least once by itself, so one that is slow or dead delays no " +
    "other. A URL that a webhook of the bridge has already is answered with that one, unchanged.",
  request: {
    params: path,
    body: body(withFilterRules(z.object({ url: UrlOfWebhook, ...chosen })).openapi({ required: ["url"] })),
  },
  responses: {
    200: reply("A webhook has this URL: that one, unchanged.", Webhook),
    201: reply("The new webhook.", Webhook),
    ...refusals(...codesOfBridge, "invalid_webhook_url", "webhook_limit_reached", "storage_full"),
  },
})

export const getWebhook = createRoute({
  method: "get",
  path: one,
  summary: "Get a webhook",
  request: { params: onePath },
  responses: { 200: reply("The webhook.", Webhook), ...refusals(...codesOfBridge) },
})

export const updateWebhook = createRoute({
  method: "patch",
  path: one,
  summary: "Change a webhook, pause it, or let it go on",
  description:
    "A field that is not given stays as it is. A change holds from the next attempt on, also for events that wait. A paused " +
    "webhook keeps its place for seven days: it then goes on with what is younger, and `missed` says how much is not sent. " +
    "`first` takes `headers`, `batch`, `format`, `format_options` and `healing` alone: what it gets is what the bridge gets, and its URL is the bridge's " +
    "`webhook_url`. The URL of another webhook of the bridge is refused.",
  request: {
    params: onePath,
    body: body(
      withFilterRules(
        someOf(
          z.object({
            url: UrlOfWebhook,
            ...chosen,
            state: z.enum(["active", "paused"]).optional(),
          }),
        ),
      ),
    ),
  },
  responses: {
    200: reply("The webhook, as it is now.", Webhook),
    ...refusals(...codesOfBridge, "invalid_webhook_url"),
  },
})

export const removeWebhook = createRoute({
  method: "delete",
  path: one,
  summary: "Delete a webhook: what waits for it is not sent, and the others lose nothing",
  request: { params: onePath },
  responses: { 204: { description: "Gone." }, ...refusals(...codesOfBridge) },
})

/** Which webhook a route about deliveries is about. */
export const webhookInQuery = z.object({
  webhook: z.string().max(64).default("first").openapi({
    description:
      "The webhook that is meant, by its id: `first`, which is `webhook_url`, unless you say another. An account's webhook is meant, too, where it is about deliveries.",
  }),
})

export const Rolled = z.object({
  webhook_secret: string("The webhook's secret from now on."),
  overlap_until: integer("Until then the secret that it replaces signs as well. Unix seconds."),
})

/** Contract, "Webhooks" */
export const rollSecret = createRoute({
  method: "post",
  path: "/api/instances/{customer_ref}/webhook-secret/roll",
  summary: "Replace the webhook secret; for 24 hours both sign",
  description:
    "`X-Webhook-Signature` then has two `v1=`, and `webhook-signature` two signatures, the new secret's first: a receiver that " +
    "accepts either misses nothing. `Authorization` carries the new secret at once.",
  request: { params: path, query: webhookInQuery },
  responses: { 200: reply("The new secret.", Rolled), ...refusals(...codesOfBridge, "secret_overlap") },
})

/** Contract, "Webhooks" */
export const finishSecret = createRoute({
  method: "post",
  path: "/api/instances/{customer_ref}/webhook-secret/finish",
  summary: "Stop signing with the replaced secret now",
  request: { params: path, query: webhookInQuery },
  responses: { 200: reply("Only the new secret signs.", Ok), ...refusals(...codesOfBridge) },
})
