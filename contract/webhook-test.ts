import { createRoute } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { Attempt } from "./delivery.ts"
import { codesOfBridge, refusals, reply } from "./route-parts.ts"
import { webhookInQuery } from "./webhook.ts"

/** Contract, "Deliveries" */
export const testWebhook = createRoute({
  method: "post",
  path: "/api/instances/{customer_ref}/webhook-test",
  summary: "Send a signed `test` event to the webhook, and say what it answered",
  request: { params: path, query: webhookInQuery },
  responses: {
    200: reply("What the receiver did.", Attempt),
    ...refusals(...codesOfBridge, "invalid_webhook_url"),
  },
})
