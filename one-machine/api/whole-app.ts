import type { BillingPages } from "#dashboard/billing-pages.ts"
import { dashboardWith } from "#dashboard/routes.ts"
import { account } from "#functions/api/account.ts"
import { bridges } from "#functions/api/bridges.ts"
import { deliveries } from "#functions/api/deliveries.ts"
import { events } from "#functions/api/events.ts"
import { proxy } from "#functions/api/proxy-routes.ts"
import { reference } from "#functions/api/reference.ts"
import { uploads, uploadForms } from "#functions/api/uploads.ts"
import { webhooks } from "#functions/api/webhooks.ts"
import { door } from "#functions/http/door.ts"
import { withAgents } from "#functions/mcp/routes.ts"
import { eventStream } from "#functions/stream/events.ts"
import { logStream } from "#functions/stream/logs.ts"
import { webhookTest } from "#functions/stream/webhook-test.ts"

/**
 * The whole HTTP API and the dashboard, as one machine serves them. On AWS the API is behind two doors:
 * `functions/api/handler.ts` and `functions/stream/handler.ts`.
 */
export function wholeApp(billing?: BillingPages) {
  const { pages, missing } = dashboardWith(billing)
  return withAgents(
    door({
      pages,
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
}
