import { dashboard, missing } from "#dashboard/routes.ts"
import { account } from "./api/account.ts"
import { bridges } from "./api/bridges.ts"
import { deliveries } from "./api/deliveries.ts"
import { events } from "./api/events.ts"
import { proxy } from "./api/proxy-routes.ts"
import { reference } from "./api/reference.ts"
import { uploads, uploadForms } from "./api/uploads.ts"
import { webhooks } from "./api/webhooks.ts"
import { door } from "./http/door.ts"
import { withAgents } from "./mcp/routes.ts"
import { eventStream } from "./stream/events.ts"
import { logStream } from "./stream/logs.ts"
import { webhookTest } from "./stream/webhook-test.ts"

/**
 * The whole HTTP API and the dashboard, as one machine serves them. On AWS the API is behind two doors:
 * `handler.ts` here and the one in `stream`.
 */
export const app = withAgents(
  door({
    pages: dashboard,
    missing,
    open: [reference, uploadForms],
    guarded: [
      bridges,
      eventStream,
      events,
      deliveries,
      webhooks,
      account,
      logStream,
      webhookTest,
      uploads,
      proxy,
    ],
  }),
)
