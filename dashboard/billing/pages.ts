import { formTargets } from "#billing/stripe.ts"
import type { BillingPages } from "../billing-pages.ts"
import { paymentLine } from "./subscription-page.ts"
import { leadToPayment, subscription } from "./subscription-routes.ts"
import { webhook } from "./webhook.ts"

/** Billing's part of the dashboard. */
export const billingPages: BillingPages = {
  pages: subscription,
  webhook,
  paymentLine,
  formTargets,
  leadToPayment,
}
