import { operator } from "../stage/operator.ts"
import { given } from "../stage/passed-on.ts"

/** Settings of every process. */
export const settings = {
  STAGE: $app.stage,
  DASHBOARD_URL: operator.dashboardUrl,
  BILLING_URL: operator.billingUrl,
  ...given("LOG_LEVEL"),
}

/** Settings of the functions that answer callers. */
export const limits = given(
  "RATE_LIMIT_PROVISION",
  "RATE_LIMIT_PROXY",
  "RATE_LIMIT_OTHER",
  "RATE_LIMIT_ADDRESS",
)
