import { payWith, stripe } from "#test/support/service/billed.ts"
import { expect, test } from "vitest"
import { Checkout } from "#core/billing/checkout.ts"
import { stripe as sdk } from "#core/billing/stripe.ts"
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
      await (await sdk()).subscriptions.cancel(ofAccount(accountId).id)
    },
    forget: async (accountId) => {
      await (await sdk()).customers.del(ofAccount(accountId).customer)
    },
  })
  expect(came).toEqual(states)
})
