import { Billing } from "#core/account/billing.ts"
import { Due } from "./due.ts"
import { Payer } from "./payer.ts"

Billing.plugIn({
  enrolling: async (accountId) => {
    const payer = await Payer.getOrBlank(accountId)
    return payer.version === 0 ? [Payer.writing(payer)] : []
  },
  changing: async (accountId) => ((await Payer.get(accountId)) ? [Due.marking(accountId)] : []),
})
