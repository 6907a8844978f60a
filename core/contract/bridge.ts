import { createRoute, z } from "@hono/zod-openapi"
import { EventType, Ignored } from "./event.ts"
import { body, refusals, reply, unreachable } from "./reply.ts"

/** Letters, digits, dash, underscore. `default` names the first bridge and cannot be taken (Contract, "References"). */
export const CustomerRef = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "1 to 64 letters, digits, dashes and underscores")
  .refine((ref) => ref !== "default", "`default` is reserved: choose another reference")

const State = z.enum(["running", "paused", "suspended"]).openapi({
  description:
    "`running`: it has a session, or gets one. `paused`: it has none; calls to it are 409 `bridge_paused`, but one " +
    "that was idle is woken by them. `suspended`: by the operator; 409 `bridge_suspended`. What happens at a session is " +
    "its `status`.",
})
const PausedReason = z.enum(["idle", "billing", "manual"]).openapi({
  description:
    "`idle`: nobody had linked a phone or called for three days: any call wakes it. `billing`, `manual`: ask the operator.",
})

/** Contract, "Fields of a bridge", list form. */
export const BridgeInList = z
  .object({
    id: z.uuid(),
    customer_ref: z.string(),
    state: State,
    created_at: z.number().int().openapi({ description: "Unix seconds." }),
  })
  .openapi("BridgeInList")

/** Contract, "Fields of a bridge", create form. `webhook_url` is `""` for the hosted inbox. */
export const Bridge = BridgeInList.extend({
  webhook_secret: z.string().openapi({ description: 'Authenticates its webhooks: see "Receive".' }),
  webhook_url: z.string().openapi({ description: '`""`: the hosted inbox.' }),
}).openapi("Bridge")

export const Manager = z
  .object({
    health: z.enum(["healthy", "starting", "unhealthy", "stopped"]).openapi({
      description:
        "Of the process that runs the session; whether the session is connected, `status` says. `starting` before its " +
        "first, `unhealthy` while another takes over from one that failed (seconds; calls are 503), `stopped` when paused " +
        "or suspended.",
    }),
    started_at: z
      .string()
      .openapi({ description: "ISO 8601, of the session; empty before its first start." }),
    fail_count: z
      .number()
      .int()
      .openapi({ description: "How often it failed since its last ten healthy minutes." }),
  })
  .openapi("Manager")

/** The customer's choice of events. */
const told = {
  events: z.array(EventType).openapi({
    description: "The types of events that it tells: all, unless others were chosen.",
  }),
  ignore: z.array(Ignored).openapi({
    description: "Chats of which it tells nothing: `status`, what people post as their status; `groups`.",
  }),
}

/** Contract, "Fields of a bridge", with the live state of the session. */
export const BridgeWithManager = Bridge.extend({
  ...told,
  paused_reason: PausedReason.optional(),
  manager: Manager,
}).openapi("BridgeWithManager")

export const BridgeAfterPatch = Bridge.extend({
  ...told,
  inbox: z.boolean().openapi({ description: "Whether its events go to the hosted inbox." }),
}).openapi("BridgeAfterPatch")

export const path = z.object({
  customer_ref: z.string().openapi({ description: "Your own name for the bridge; `default` is the first." }),
})

/** Fields that have an error code of their own for every fault, absence included: the domain checks them. */
const JudgedRef = z.unknown().optional().openapi({
  type: "string",
  description: "Your own name for it: 1 to 64 letters, digits, dashes and underscores, not `default`.",
})
const JudgedUrl = z
  .unknown()
  .optional()
  .openapi({
    type: ["string", "null"],
    maxLength: 2048,
    pattern: "^$|^[Hh][Tt][Tt][Pp][Ss]?://[^\\s#]+$",
    description:
      "https, or http where the service is not in production; without spaces, fragment, user name and password; at most " +
      "2,048 characters; at a public address, unless the operator allows others; " +
      '`""` or null is the hosted inbox.',
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
    200: reply("The reference is taken: its bridge, unchanged.", Bridge),
    201: reply("The new bridge.", Bridge),
    ...refusals(
      "invalid_customer_ref",
      "invalid_webhook_url",
      "no_subscription",
      "payment_required",
      "bridge_limit_reached",
    ),
  },
})

export const listBridges = createRoute({
  method: "get",
  path: "/api/instances",
  summary: "List bridges",
  responses: { 200: reply("The account's bridges.", z.array(BridgeInList)), ...refusals() },
})

export const getBridge = createRoute({
  method: "get",
  path: "/api/instances/{customer_ref}",
  summary: "Get a bridge",
  request: { params: path },
  responses: { 200: reply("The bridge.", BridgeWithManager), ...refusals("not_found") },
})

export const updateBridge = createRoute({
  method: "patch",
  path: "/api/instances/{customer_ref}",
  summary: "Change where a bridge's events go, and which there are",
  description:
    "`webhook_url` is needed unless `events` or `ignore` is given; what is not given stays as it is. What `events` and " +
    "`ignore` switch off is taken from the network and forgotten: no event, nothing to reply to or to download. They restart " +
    "nothing, and hold from then on, at the latest half a minute later. A new address restarts the session, which takes a few seconds; the phone stays linked. With the address that it has already nothing " +
    "is restarted, unless another place took the session over (`status` is `replaced`): then it connects again, and the " +
    "other place is the one that is thrown out.",
  request: {
    params: path,
    body: body(
      z.object({
        webhook_url: JudgedUrl,
        events: z
          .array(EventType)
          .max(50)
          .nullish()
          .openapi({ description: "Types of events; null is all of them, also those of later releases." }),
        ignore: z.array(Ignored).max(50).optional().openapi({
          description: "Chats of which nothing is to be told: `status`, `groups`; `[]` is none.",
        }),
      }),
    ),
  },
  responses: {
    200: reply("The bridge, as it is now.", BridgeAfterPatch),
    ...refusals("invalid_webhook_url", ...unreachable, "orchestrator_failed"),
  },
})

/** Contract, "Deleting a bridge" */
export const removeBridge = createRoute({
  method: "delete",
  path: "/api/instances/{customer_ref}",
  summary: "Delete a bridge: unlinked, its keys destroyed, its reference free",
  request: { params: path },
  responses: { 204: { description: "Gone." }, ...refusals("not_found") },
})
