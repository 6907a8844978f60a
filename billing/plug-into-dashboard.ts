import { plugIn } from "#dashboard/billing-hooks.ts"
import { formTargets } from "./stripe.ts"
import { leadToPayment, subscription } from "./subscription-routes.ts"
import { paymentLine } from "./subscription-page.ts"
import { webhook } from "./webhook.ts"

plugIn({ pages: subscription, webhook, paymentLine, formTargets, leadToPayment })
