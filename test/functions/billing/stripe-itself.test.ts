import "#test/support/store.ts"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { config } from "#core/platform/config.ts"
import { Payer } from "#core/billing/payer.ts"
import { idOf, stripe } from "#core/billing/stripe.ts"
import { firstMonth, states } from "#test/support/service/first-month.ts"

const key = process.env.STRIPE_TEST_KEY
// A live key would charge somebody.
if (key !== undefined && !/^[rs]k_test_/.test(key)) throw new Error("STRIPE_TEST_KEY is no key of test mode")
Object.assign(config, {
  BILLING: "stripe",
  STRIPE_SECRET_KEY: key ?? "sk_test_none",
  STRIPE_PRICE: "price_of_the_test",
  DASHBOARD_URL: "https://bridge.example.com",
})

/** Stripe moves a test clock in its own time. */
const withinMs = 300_000

test.runIf(key)(
  "a first month at Stripe's test mode is the same as at the pretend Stripe",
  { timeout: withinMs },
  async () => {
    const client = await stripe()
    const clock = await client.testHelpers.testClocks.create({ frozen_time: Math.floor(Date.now() / 1000) })
    const price = await client.prices.create({
      currency: "eur",
      unit_amount: 900,
      recurring: { interval: "month" },
      product_data: { name: "A number" },
    })
    const subscriptionOf = async (accountId: string) =>
      await client.subscriptions.retrieve((await Payer.get(accountId))!.said!.id)
    const until = async () => {
      for (;;) {
        const { status } = await client.testHelpers.testClocks.retrieve(clock.id)
        if (status === "ready") return
        if (status === "internal_failure") throw new Error("Stripe could not move its clock")
        await sleep(2000)
      }
    }
    try {
      const came = await firstMonth({
        // A customer of a test clock cannot use Checkout: the subscription is made as Checkout would make it.
        subscribe: async (accountId) => {
          const metadata = { account_id: accountId }
          const { id: customer } = await client.customers.create({
            test_clock: clock.id,
            email: "ada@example.com",
            metadata,
          })
          const card = await client.paymentMethods.attach("pm_card_chargeCustomerFail", { customer })
          await client.subscriptions.create({
            customer,
            items: [{ price: price.id, quantity: 1 }],
            trial_period_days: 7,
            default_payment_method: card.id,
            metadata,
          })
          await Payer.change(await Payer.of(accountId), { customer })
        },
        pass: async (_accountId, days) => {
          const { frozen_time } = await client.testHelpers.testClocks.retrieve(clock.id)
          await client.testHelpers.testClocks.advance(clock.id, { frozen_time: frozen_time + days * 86_400 })
          await until()
        },
        pay: async (accountId) => {
          const { id, latest_invoice, customer } = await subscriptionOf(accountId)
          const card = await client.paymentMethods.attach("pm_card_visa", { customer: idOf(customer) })
          await client.subscriptions.update(id, { default_payment_method: card.id })
          await client.invoices.pay(idOf(latest_invoice!), { payment_method: card.id })
        },
        quantity: async (accountId) => (await subscriptionOf(accountId)).items.data[0]?.quantity ?? 0,
        cancel: async (accountId) => {
          await client.subscriptions.cancel((await subscriptionOf(accountId)).id)
        },
        forget: async (accountId) => {
          await client.customers.del(idOf((await subscriptionOf(accountId)).customer))
        },
      })
      expect(came).toEqual(states)
    } finally {
      // Stripe deletes the clock's customers with it. A price that was used can only be put out of use.
      await client.testHelpers.testClocks.del(clock.id)
      await client.prices.update(price.id, { active: false })
    }
  },
)
