// Parts of the dashboard that can be left out. There is one, billing: this import sets its hooks for pages
// (`dashboard/billing-hooks.ts`), which are the pages of a subscription and Stripe's webhook.
import "#billing/plug-into-dashboard.ts"
