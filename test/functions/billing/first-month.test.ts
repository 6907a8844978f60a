import { payWith, stripe } from "#test/support/service/billed.ts"
import { expect, test } from "vitest"
import { Checkout } from "#core/billing/checkout.ts"
import { firstMonth, states } from "#test/support/service/first-month.ts"

const ofAccount = (accountId: string) =>
  Object.values(stripe.book.subscriptions).find(({ metadata }) => metadata.account_id === accountId)!

test("a first month is the same at the pretend Stripe as at Stripe's test mode", async () => {
  stripe.webhooks.hold()
  const came = await firstMonth({
    subscribe: async (accountId) => {
      const page = await Checkout.begin(accountId, "ada@example.com")
      expect(await payWith("4000000000000341", page!)).toContain("/subscription/return")
    },
    pass: async (_accountId, days) => stripe.advance(days),
    pay: async (accountId) => {
      const invoice = stripe.book.invoices[ofAccount(accountId).latest_invoice!]!
      await payWith("4242424242424242", invoice.hosted_invoice_url)
    },
    quantity: async (accountId) => ofAccount(accountId).items.data[0].quantity,
    cancel: async (accountId) => {
      const { environment } = stripe
      await fetch(`${stripe.url}/v1/subscriptions/${ofAccount(accountId).id}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${environment.STRIPE_SECRET_KEY}` },
      })
    },
  })
  expect(came).toEqual(states)
})
