import type { Billing } from "#core/account/billing.ts"
import { Due } from "./due-for-a-look.ts"
import { Payer } from "./payer.ts"

/** Billing's part of each program that changes accounts or bridges. */
export const accountHooks: Billing.Hooks = {
  enrolling: async (accountId) => {
    const payer = await Payer.getOrBlank(accountId)
    return payer.version === 0 ? [Payer.writing(payer)] : []
  },
  changing: async (accountId) => ((await Payer.get(accountId)) ? [Due.marking(accountId)] : []),
}
