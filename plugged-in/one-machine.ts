// What can be taken out of `npm start`. Billing: the pretend Stripe, and the looks at due accounts.
export { startBilling } from "#billing/one-machine.ts"
