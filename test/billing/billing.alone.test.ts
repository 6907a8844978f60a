// One file of tests for all of billing: they share a store, a pretend Stripe and the API that its webhooks go
// to.
import "#test/billing/support/billed.ts"
import "./first-number.ts"
import "./failing-payment.ts"
import "./ended-subscription.ts"
import "./customer-at-stripe.ts"
import "./webhook.ts"
import "./quantity.ts"
import "./end-billing.ts"
import "./operators-word.ts"
import "./another-stripe.ts"
import "./scenarios-at-pretend-stripe.ts"
