// Parts of `npm run admin` that can be left out. There is one, billing: its hooks for accounts
// (`core/account/billing.ts`), and its verbs.
import "#billing/plug-into-accounts.ts"
import type { Verb } from "#admin/verb.ts"
import { billing } from "#billing/verbs.ts"

/** Verbs that are added to those of `npm run admin`, by their noun. */
export const pluggedVerbs: Record<string, Record<string, Verb>> = { billing }
