import { plugIn } from "#dashboard/billing-hooks.ts"
import { formTargets } from "./stripe.ts"
import { paymentLine } from "./subscription-page.ts"
import { leadToPayment, subscription } from "./subscription-routes.ts"
import { webhook } from "./webhook.ts"

plugIn({ pages: subscription, webhook, paymentLine, formTargets, leadToPayment })
