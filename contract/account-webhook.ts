import { createRoute, z } from "@hono/zod-openapi"
import { UrlOfWebhook } from "./bridge.ts"
import { someOf } from "./field-types.ts"
import { body, Ok, refusals, reply } from "./route-parts.ts"
import { chosen, Rolled, Webhook, withFilterRules } from "./webhook.ts"

/** Contract, "Webhooks of the account": how far each bridge's events have come is told bridge by bridge. */
const AccountWebhook = Webhook.omit({ failing_since: true, missed: true, recovered: true }).openapi(
  "AccountWebhook",
)

const webhooks = "/api/webhooks"
const one = `${webhooks}/{webhook_id}` as const
const onePath = z.object({
  webhook_id: z.string().max(64).openapi({ description: "As `listAccountWebhooks` gives it." }),
})

export const listAccountWebhooks = createRoute({
  method: "get",
  path: webhooks,
  summary: "The webhooks of the account, which get the events of all its bridges",
  responses: { 200: reply("At most two.", z.array(AccountWebhook)), ...refusals() },
})

export const createAccountWebhook = createRoute({
  method: "post",
  path: webhooks,
  summary: "Add a webhook to the account: it gets each event of each bridge from now on",
  description:
    "Also of bridges that are made later, besides the webhooks of each. Each event ends with `customer_ref`, the bridge that it is " +
    "of. The events of a bridge come in order and at least once. Those of different bridges come side by side: one that " +
    "fails holds up no other bridge, and no webhook of a bridge. The sandbox is left out. A URL that a webhook of the account has " +
    "already is answered with that one, unchanged. A key that is limited to some bridges may not see these webhooks.",
  request: {
    body: body(withFilterRules(z.object({ url: UrlOfWebhook, ...chosen })).openapi({ required: ["url"] })),
  },
  responses: {
    200: reply("A webhook has this URL: that one, unchanged.", AccountWebhook),
    201: reply("The new webhook.", AccountWebhook),
    ...refusals("invalid_webhook_url", "webhook_limit_reached", "storage_full"),
  },
})

export const getAccountWebhook = createRoute({
  method: "get",
  path: one,
  summary: "Get a webhook of the account",
  request: { params: onePath },
  responses: { 200: reply("The webhook.", AccountWebhook), ...refusals("not_found") },
})

export const updateAccountWebhook = createRoute({
  method: "patch",
  path: one,
  summary: "Change a webhook of the account, pause it, or let it go on, for all bridges at once",
  description:
    "A field that is not given stays as it is. A change holds for attempts that begin a second later, also of events that wait. A " +
    "paused webhook keeps its place at each bridge for seven days. When it goes on, what waits follows at once or, of very many " +
    "bridges, within three minutes.",
  request: {
    params: onePath,
    body: body(
      withFilterRules(
        someOf(z.object({ url: UrlOfWebhook, ...chosen, state: z.enum(["active", "paused"]).optional() })),
      ),
    ),
  },
  responses: {
    200: reply("The webhook, as it is now.", AccountWebhook),
    ...refusals("not_found", "invalid_webhook_url"),
  },
})

export const removeAccountWebhook = createRoute({
  method: "delete",
  path: one,
  summary: "Delete a webhook of the account: what waits for it is not sent",
  request: { params: onePath },
  responses: { 204: { description: "Gone." }, ...refusals("not_found") },
})

export const rollAccountSecret = createRoute({
  method: "post",
  path: `${one}/secret/roll`,
  summary: "Replace the secret of a webhook of the account; for 24 hours both sign",
  description: "As `rollSecret` does for a webhook of a bridge.",
  request: { params: onePath },
  responses: { 200: reply("The new secret.", Rolled), ...refusals("not_found", "secret_overlap") },
})

export const finishAccountSecret = createRoute({
  method: "post",
  path: `${one}/secret/finish`,
  summary: "Stop signing with the replaced secret of a webhook of the account now",
  request: { params: onePath },
  responses: { 200: reply("Only the new secret signs.", Ok), ...refusals("not_found") },
})
