// What can be taken out of the dashboard. Billing: the pages of a subscription, and Stripe's webhook.
import "#billing/pages.ts"
