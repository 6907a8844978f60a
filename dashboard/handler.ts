import { streamHandle } from "hono/aws-lambda"
import { accountHooks } from "#billing/account-hooks.ts"
import { Billing } from "#core/account/billing.ts"
import { Troubles } from "#core/account/troubles.ts"
import { door } from "#functions/http/door.ts"
import { billingPages } from "./billing/pages.ts"
import { dashboardWith } from "./routes.ts"

Billing.plugIn(accountHooks)

// `functions/troubles` looks each minute.
Troubles.setReporting(true)

const { pages, missing } = dashboardWith(billingPages)

/** The dashboard, for two functions: one for its pages, one for what is live on them. */
export const handler = streamHandle(door({ pages, missing }))
