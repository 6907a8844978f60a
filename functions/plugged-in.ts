// Parts of the programs that change accounts or bridges for a customer, and that can be left out. There is
// one, billing: this import sets its hooks for accounts (`core/account/billing.ts`).
import "#billing/plug-into-accounts.ts"
