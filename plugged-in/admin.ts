// What can be taken out of the operator's verbs. Billing: what it does for accounts, and its own verbs.
import "#billing/accounts.ts"
import { billing } from "#billing/verbs.ts"
import type { Verb } from "#admin/verb.ts"

/** Verbs besides `npm run admin`'s own, by what they are about. */
export const plugged: Record<string, Record<string, Verb>> = { billing }
