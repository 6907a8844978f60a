import { billing } from "#admin/billing.ts"
import { verbsOf, nounsWith } from "#admin/nouns.ts"
import { billingPages } from "#dashboard/billing/pages.ts"
import { dashboardWith } from "#dashboard/routes.ts"

/** The dashboard and the operator's verbs, as a stage has them. */
export const { pages: dashboard, formPaths } = dashboardWith(billingPages)
const environment = { MOVE_PASSPHRASE: "correct horse battery staple" }
export const nouns = await verbsOf(nounsWith(environment, { billing: async () => billing }))
