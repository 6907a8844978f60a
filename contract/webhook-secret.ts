import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { integer, string } from "./field-types.ts"
import { codesOfBridge, Ok, refusals, reply } from "./route-parts.ts"
import { webhookInQuery } from "./webhook.ts"

const Rolled = z.object({
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
