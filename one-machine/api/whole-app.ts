import type { IncomingMessage, ServerResponse } from "node:http"
import { getRequestListener } from "@hono/node-server"
import type { BillingPages } from "#dashboard/billing-pages.ts"
import { dashboardWith } from "#dashboard/routes.ts"
import { accountWebhooks } from "#functions/api/account-webhooks.ts"
import { account } from "#functions/api/account.ts"
import { bridges } from "#functions/api/bridges.ts"
import { deliveries } from "#functions/api/deliveries.ts"
import { events } from "#functions/api/events.ts"
import { proxy } from "#functions/api/proxy-routes.ts"
import { reference } from "#functions/api/reference.ts"
import { uploads, uploadForms } from "#functions/api/uploads.ts"
import { webhooks } from "#functions/api/webhooks.ts"
import { withDialects } from "#functions/dialects/routes.ts"
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
  return withDialects(
    withAgents(
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
          accountWebhooks,
          account,
          logStream,
          webhookTest,
          uploads,
          proxy,
        ],
      }),
    ),
  )
}

/** RFC 9112, 3.2: a path or a whole URL, in the characters that a URL may have. */
const target = /^(?:https?:\/\/[\w.:[\]-]+)?\/[\x21-\x5b\x5d-\x7e]*$/i
const host = /^[\w.:[\]-]+$/

/**
 * Puts the app behind Node's own server. The adapter answers a request with an invalid target or host without
 * the app. Such a request is given a path that does not exist instead, so that it is counted and refused like
 * any other.
 */
export function listenerOf(app: ReturnType<typeof wholeApp>) {
  const answer = getRequestListener(app.fetch)
  return function listener(request: IncomingMessage, response: ServerResponse): void {
    if (!target.test(request.url ?? "") || !host.test(request.headers.host ?? "")) {
      request.url = "/nowhere"
      request.headers.host = "localhost"
    }
    void answer(request, response)
  }
}
