// What can be taken out of `npm start`. Billing: the pretend Stripe, and the looks at due accounts.
import { startBilling as start } from "#billing/one-machine.ts"

export const startBilling: typeof start | undefined = start
