import { endBilling } from "#billing/end-billing.ts"
import { Billing } from "#core/account/billing.ts"
import { Refused, type Verb } from "./verb.ts"

export const billing: Record<string, Verb> = {
  end: {
    takes: "",
    says: "once billing is turned off: wake every bridge that waits for a payment (`npm start` does it by itself)",
    run: async () => {
      if (Billing.isOn())
        throw new Refused("numbers are paid for on this service: start or deploy it without BILLING first")
      const { accounts, bridges, charged } = await endBilling()
      return [{ accounts_freed: accounts, bridges_woken: bridges, still_charged_at_stripe: charged }]
    },
  },
}
