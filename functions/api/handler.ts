import { handle } from "hono/aws-lambda"
import { accountHooks } from "#billing/account-hooks.ts"
import { Billing } from "#core/account/billing.ts"
import { withDialects } from "../dialects/routes.ts"
import { door } from "../http/door.ts"
import { withAgents } from "../mcp/routes.ts"
import { accountWebhooks } from "./account-webhooks.ts"
import { account } from "./account.ts"
import { bridges } from "./bridges.ts"
import { deliveries } from "./deliveries.ts"
import { events } from "./events.ts"
import { proxy } from "./proxy-routes.ts"
import { reference } from "./reference.ts"
import { uploads } from "./uploads.ts"
import { webhooks } from "./webhooks.ts"

Billing.plugIn(accountHooks)

/** The API without the routes that need a stream. */
export const handler = handle(
  withDialects(
    withAgents(
      door({
        open: [reference],
        guarded: [bridges, events, deliveries, webhooks, accountWebhooks, account, uploads, proxy],
      }),
    ),
  ),
)
