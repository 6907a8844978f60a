import { createRoute, z } from "@hono/zod-openapi"
import { EventType, Ignored, MessageStatusDetail } from "./event.ts"
import { boolean, inAnyCase, inQuery, integer, plainUrl, string, text, Timestamp } from "./field-types.ts"
import { Keep, openapiOfKeepOrNull } from "./keep.ts"
import { MediaStore, ShownMediaStore } from "./media-store.ts"
import { Pacing } from "./pacing.ts"
import { body, refusals, reply, codesOfSession } from "./route-parts.ts"
import { Objection, Status } from "./status-and-objection.ts"

/**
 * Letters, digits, dash, underscore. `default` names the first bridge and cannot be taken
 * (Contract, "Bridges").
 */
export const CustomerRef = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "1 to 64 letters, digits, dashes and underscores")
  .refine((ref) => ref !== "default", "`default` is reserved: choose another reference")
  .openapi({ pattern: "^(?!default$)[0-9A-Za-z_-]{1,64}$" })

const State = z.enum(["running", "paused", "suspended", "moved"]).openapi({
  description:
    "`running`: it has a session, or gets one. `paused`: it has none; calls to it are 409 `bridge_paused`, unless it was " +
    "idle: then they wake it. `suspended`: the operator has stopped it; calls are 409 `bridge_suspended`. `moved`: " +
    "another service has it; calls are 409 `bridge_moved`. The `status` of the session says whether it is connected.",
})
const PausedReason = z.enum(["idle", "billing", "manual"]).openapi({
  description:
    "`idle`: no phone was linked and no call came for three days; any call wakes it. `billing`: the account has " +
    "not paid. `manual`: the operator has paused it, or its own people in the dashboard. The sentence of the 409 says which.",
})

/** A bridge in the list. */
export const BridgeInList = z
  .object({
    id: z.uuid(),
    customer_ref: z.string(),
    state: State,
    created_at: Timestamp,
  })
  .openapi("BridgeInList")

/** A bridge as its creation answers. `webhook_url` is `""` for the hosted inbox. */
export const Bridge = BridgeInList.extend({
  webhook_secret: string(
    'Authenticates the webhooks of this bridge: see "Receive". `""` for a key that may only read.',
  ),
  webhook_url: string('`""`: the hosted inbox.'),
}).openapi("Bridge")

export const ProcessHealth = z
  .object({
    health: z.enum(["healthy", "starting", "unhealthy", "stopped"]).openapi({
      description:
        "The health of the process that runs the session; `status` says whether the session is connected. `starting`: there " +
        "was no process yet. `unhealthy`: another process takes over from one that failed (seconds; calls are 503). " +
        "`stopped`: the bridge is paused or suspended, or has moved.",
    }),
    started_at: string(
      "When the session last started, also by a restart, ISO 8601; empty before its first start.",
    ),
    fail_count: integer("How often the process failed since its last ten healthy minutes."),
  })
  .openapi("Manager")

const Reported = z
  .object({
    status: Status,
    since: integer("Since when it is so, Unix seconds."),
    phone: string('The number that is linked, or was last; `""` before the first.'),
    objection: Objection.optional(),
  })
  .openapi("ReportedStatus")

/** The customer's choice. */
const chosen = {
  events: z.array(EventType).openapi({
    description:
      "The types of events that are sent: all but `message_status`, `message_lost`, `group` and `channel_post`, unless you chose some.",
  }),
  ignore: z.array(Ignored).openapi({
    description: "Chats whose events are not sent: `status` (what people post as their status), `groups`.",
  }),
  message_status: MessageStatusDetail.openapi({
    description:
      "What events of the type `message_status` say of a message to a group: `counts`, or also which `participants`.",
  }),
  daily_presence: boolean(
    "Whether the session appears as available for some minutes a day, so that the phone does not take it for inactive.",
  ),
  link_previews: boolean(
    "Whether a text is sent with a preview of its first link, where the call does not say.",
  ),
  pacing: Pacing.nullable().openapi({ description: "How slowly it sends; null: as fast as it is asked to." }),
  proxy_url: z
    .string()
    .nullable()
    .openapi({ description: "`***`: the session goes through a proxy; null: it does not." }),
  keep: Keep.nullable().openapi({
    ...openapiOfKeepOrNull,
    description: "For how many days messages are kept, to be listed; null: they are not.",
  }),
  media_store: ShownMediaStore.nullable().openapi({
    description: "Your own S3, in which the files of messages are put; null: they are not.",
  }),
  history: boolean("Whether what the phone tells of earlier messages when it is linked is kept as well."),
}

/** A bridge with the live state of its session, and every choice of its customer. */
export const BridgeWithManager = Bridge.extend({
  ...chosen,
  paused_reason: PausedReason.optional(),
  secret_overlap_until: integer(
    "The secret was replaced: until then the one before signs as well. Unix seconds.",
  ).optional(),
  manager: ProcessHealth,
  explanation: string(
    "How the bridge and its session stand now, why, and what to do: sentences for people, as the dashboard shows them.",
  ),
  reported: Reported.optional().openapi({
    description:
      "The last report of the bridge's session about itself. It stays while no session can be asked, and is absent before the first. `unpaired` " +
      "with a `phone`: that phone is no longer linked.",
  }),
}).openapi("BridgeWithManager")

export const BridgeAfterPatch = Bridge.extend({
  ...chosen,
  inbox: boolean("Whether its events go to the hosted inbox."),
}).openapi("BridgeAfterPatch")

export const path = z.object({
  customer_ref: string("Your own name for the bridge; `default` is your first bridge."),
})

/** Fields that have an error code of their own for every fault, absence included: the domain checks them. */
const JudgedRef = z.unknown().optional().openapi({
  type: "string",
  pattern: "^(?!default$)[0-9A-Za-z_-]{1,64}$",
  description:
    "Your own name for the bridge: 1 to 64 letters, digits, dashes and underscores, not `default`.",
})
const JudgedUrl = z
  .unknown()
  .optional()
  .openapi({
    type: ["string", "null"],
    maxLength: 2048,
    pattern: `^$|${plainUrl}`,
    description:
      "An https URL (or http where the service is not in production) of at most 2,048 characters, without spaces, fragment, " +
      "user name and password, at a public address unless the operator allows others. " +
      '`""` or null is the hosted inbox.',
  })

/** The URL of a further webhook, which the domain checks too: never the inbox. */
export const UrlOfWebhook = z.unknown().optional().openapi({
  type: "string",
  maxLength: 2048,
  pattern: plainUrl,
  description: "As `webhook_url` of a bridge, but never empty.",
})

export const createBridge = createRoute({
  method: "post",
  path: "/api/instances",
  summary: "Create a bridge",
  request: {
    body: body(
      z.object({ customer_ref: JudgedRef, webhook_url: JudgedUrl }).openapi({ required: ["customer_ref"] }),
    ),
  },
  responses: {
    200: reply("The reference exists: its bridge, unchanged.", Bridge),
    201: reply("The new bridge.", Bridge),
    ...refusals(
      "invalid_customer_ref",
      "invalid_webhook_url",
      "no_subscription",
      "payment_required",
      "bridge_limit_reached",
      "storage_full",
    ),
  },
})

/** How many bridges a page has at most, and how many are listed where no page is asked for. */
export const mostInPage = 1000
export const mostWithoutPages = 10_000

export const listBridges = createRoute({
  method: "get",
  path: "/api/instances",
  summary: "List bridges",
  description:
    `Without \`limit\` and \`after\`: all, in the order of creation, the sandbox last. An account with more than ` +
    `${mostWithoutPages.toLocaleString("en")} is then refused: it asks for pages, which are in the order of the references.`,
  request: {
    query: z.object({
      limit: inQuery(1, mostInPage)
        .optional()
        .openapi({ description: `With \`after\` alone: ${mostInPage}.` }),
      after: z
        .string()
        .regex(/^[0-9A-Za-z_-]{0,64}$/, "not the reference of a bridge")
        .optional()
        .openapi({
          description: "The `X-Next-After` of the page before, or any reference: the bridges behind it.",
        }),
    }),
  },
  responses: {
    200: reply(
      "The account's bridges, or a page of them. The header `X-Next-After` is there while there are more: give it as `after`.",
      z.array(BridgeInList),
    ),
    ...refusals(),
  },
})

export const getBridge = createRoute({
  method: "get",
  path: "/api/instances/{customer_ref}",
  summary: "Get a bridge",
  request: { params: path },
  responses: { 200: reply("The bridge.", BridgeWithManager), ...refusals("not_found") },
})

/** The fields of a PATCH, which needs one of them at least. */
const fieldsOfUpdate = ["webhook_url", ...Object.keys(chosen)]

export const updateBridge = createRoute({
  method: "patch",
  path: "/api/instances/{customer_ref}",
  summary: "Choose where a bridge's events go, and which are sent",
  description:
    "`webhook_url` is required unless another field is given; a field that is not given stays as it is. Messages that " +
    "`events` and `ignore` switch off are taken from the network and forgotten: they give no event, and cannot be replied to " +
    "or downloaded. A change of all but the address and the proxy restarts nothing, and takes effect within half a minute. A new address restarts the " +
    "session, which takes a few seconds; the phone stays linked. After five logins in a row that did not last, restarts " +
    "included, the session waits up to a minute before the next. The current address restarts nothing, unless another place has taken over the session (`status` is " +
    "`replaced`): then the session connects again, and the other place is replaced.",
  request: {
    params: path,
    body: body(
      z
        .object({
          webhook_url: JudgedUrl,
          events: z
            .array(EventType)
            .max(50)
            .nullish()
            .openapi({
              description:
                "The types of events to send; null is all of them, including those of later releases, but not `message_status`, " +
                "`message_lost`, `group` and `channel_post`, which are sent only if you name them.",
            }),
          ignore: z.array(Ignored).max(50).optional().openapi({
            description: "Chats whose events are not sent: `status`, `groups`; `[]` is none.",
          }),
          message_status: MessageStatusDetail.optional().openapi({
            description:
              "What events of the type `message_status` say of a message to a group. `counts`: how many members have received, read " +
              "and played it. `participants`: also who, in an event for each receipt that comes by itself.",
          }),
          daily_presence: boolean(
            "Whether the session appears as available for some minutes a day; it does unless you say false. A phone warns its " +
              "owner of a linked device that was not available for about two weeks, and offers to log it out.",
          ).optional(),
          link_previews: boolean(
            "Whether `sendText` fetches the page of a text's first link, where the call says neither `link_preview` nor `preview`; it " +
              "does not unless you say true.",
          ).optional(),
          pacing: Pacing.nullish().openapi({
            description:
              "How slowly the bridge sends; it replaces the pacing of before, and null ends it. A message that would have to wait " +
              "for longer than five seconds is refused with 429 `pacing`.",
          }),
          proxy_url: text(1, 2048)
            .nullish()
            .openapi({
              description:
                "A proxy for the session: `http://`, `https://` or `socks5://`, with a user name and password if it wants them, at a public " +
                "address unless the operator allows others. Socket, files and look-ups of names go through it, and the session " +
                "connects anew. No answer shows it again. null is none.",
              pattern: `^(?:${inAnyCase("http")}[Ss]?|${inAnyCase("socks5")})://[^\\s/?#\\x00-\\x1f\\x7f-\\x9f]+/?$`,
            }),
          media_store: MediaStore.nullish().openapi({
            description:
              "Your own S3, or a store that speaks its protocol: the file of each message from now on is put into it, and its event says " +
              "where. It replaces the one before; null is none.",
          }),
          keep: Keep.nullish().openapi({
            ...openapiOfKeepOrNull,
            description:
              "For how many days messages are kept, those that come in and those that are sent, so that `listMessages` has them: from " +
              "now on, and those of the events and sends that are still known; null keeps no more of them. Those in chats that `ignore` " +
              "names are not kept.",
          }),
          history: boolean(
            "With `keep`: whether a phone that is linked from now on is asked for what was said before. It tells what it chooses, some " +
              "minutes long; of that the messages of the last `keep` days are kept, at most 500 of a chat and 20,000 in all. They are no events.",
          ).optional(),
        })
        .refine(({ history, keep }) => !(history && keep === null), {
          path: ["history"],
          message: "not with keep: null, which keeps nothing",
        })
        .refine(
          ({ events, message_status }) =>
            events === undefined || message_status !== "participants" || events?.includes("message_status"),
          { path: ["message_status"], message: "only with `message_status` among the `events`" },
        )
        // The absence of all is a fault of `webhook_url`, which has a code of its own.
        .openapi({ anyOf: fieldsOfUpdate.map((field) => ({ required: [field] })) }),
    ),
  },
  responses: {
    200: reply("The bridge, as it is now.", BridgeAfterPatch),
    ...refusals("invalid_webhook_url", ...codesOfSession, "orchestrator_failed"),
  },
})

/** Contract, "Bridges" */
export const removeBridge = createRoute({
  method: "delete",
  path: "/api/instances/{customer_ref}",
  summary: "Delete a bridge: unlink it, destroy its keys, free its reference",
  request: { params: path },
  responses: { 204: { description: "Gone." }, ...refusals("not_found") },
})
