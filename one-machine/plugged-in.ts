// Parts of `npm start` that can be left out. There is one, billing: on one machine it also runs the pretend
// Stripe, and looks at the accounts that are due, which a function does on AWS.
import { startBilling as start } from "#billing/one-machine.ts"

/** Undefined where billing is left out. */
export const startBilling: typeof start | undefined = start
