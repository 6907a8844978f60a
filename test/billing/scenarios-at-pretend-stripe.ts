import { describe, expect, test } from "vitest"
import { Checkout } from "#billing/checkout.ts"
import { Payer } from "#billing/payer.ts"
import { payWith, stripe } from "#test/billing/support/billed.ts"
import { type Means, scenarios } from "./scenarios.ts"
import { card, latestInvoice, ofStripe, paid } from "./subscriber.ts"

const means: Means = {
  subscribe: async (accountId, kind) => {
    stripe.webhooks.hold()
    await payWith(card[kind], (await Checkout.begin(accountId, "ada@example.com"))!)
  },
  subscribeAgain: async (accountId) => {
    const second = { ...structuredClone(ofStripe(accountId)[0]!), id: `sub_second_of_${accountId}` }
    stripe.book.subscriptions[second.id] = second
  },
  pass: async (_accountId, days) => stripe.advance(days),
  putCard: async (accountId, kind) => {
    const { customer } = (await Payer.get(accountId))!
    stripe.book.cards[customer!] = {
      last4: card[kind].slice(-4),
      fails: kind === "fails",
      wantsStep: false,
    }
  },
  pay: async (accountId) => void (await payWith(card.pays, latestInvoice(accountId).hosted_invoice_url)),
  cancelAtEnd: async (accountId) => void (ofStripe(accountId)[0]!.cancel_at_period_end = true),
  paid: async (accountId) => paid(accountId),
}

describe("at the pretend Stripe, as at Stripe's test mode", () => {
  test.for(Object.entries(scenarios))("%s", async ([, run]) => {
    await expect(run(means)).resolves.toBeUndefined()
  })
})
