import "#test/support/store.ts"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Payer } from "#billing/payer.ts"
import { idOf, ifThere, stripe } from "#billing/stripe.ts"
import { config } from "#core/platform/config.ts"
import { type Card, type Means, scenarios } from "./scenarios.ts"

const key = process.env.STRIPE_TEST_KEY
// A live key would charge a real card.
if (key !== undefined && !/^[rs]k_test_/.test(key)) throw new Error("STRIPE_TEST_KEY is no key of test mode")
Object.assign(config, {
  BILLING: "stripe",
  STRIPE_SECRET_KEY: key ?? "sk_test_none",
  DASHBOARD_URL: "https://bridge.example.com",
})

/** Stripe moves a test clock in its own time. */
const timeout = 300_000

/** Stripe's own test cards. The second is attached, and refused when it is charged. */
const cards: Record<Card, string> = { pays: "pm_card_visa", fails: "pm_card_chargeCustomerFail" }

describe.runIf(key)("at Stripe's test mode, as at the pretend Stripe", () => {
  /** The test clocks of accounts. */
  const clocks = new Map<string, string>()
  const began = Math.floor(Date.now() / 1000)
  let price = ""

  beforeAll(async () => {
    const made = await (
      await stripe()
    ).prices.create({
      currency: "eur",
      unit_amount: 900,
      recurring: { interval: "month" },
      product_data: { name: "A number" },
    })
    price = made.id
    Object.assign(config, { STRIPE_PRICE: price })
  })
  afterAll(async () => {
    const client = await stripe()
    // Stripe deletes a clock's customers with it. A price that was used can only be put out of use.
    for (const clock of clocks.values()) await client.testHelpers.testClocks.del(clock)
    const others = client.customers.list({ email: "ada@example.com", created: { gte: began } })
    for await (const { id } of others) await ifThere(client.customers.del(id))
    await client.prices.update(price, { active: false })
  })

  /** The account's customer, with a clock that can be moved. */
  async function customerOf(accountId: string): Promise<string> {
    const client = await stripe()
    const payer = await Payer.getOrBlank(accountId)
    if (payer.customer !== undefined) return payer.customer
    const clock = await client.testHelpers.testClocks.create({ frozen_time: Math.floor(Date.now() / 1000) })
    clocks.set(accountId, clock.id)
    const metadata = { account_id: accountId }
    const made = await client.customers.create({ test_clock: clock.id, email: "ada@example.com", metadata })
    await Payer.change(payer, { customer: made.id })
    return made.id
  }

  async function putCard(accountId: string, card: Card): Promise<string> {
    const client = await stripe()
    const customer = await customerOf(accountId)
    const { id } = await client.paymentMethods.attach(cards[card], { customer })
    await client.customers.update(customer, { invoice_settings: { default_payment_method: id } })
    const { said } = await Payer.getOrBlank(accountId)
    if (said && said.status !== "canceled")
      await client.subscriptions.update(said.id, { default_payment_method: id })
    return id
  }

  /** A customer of a test clock cannot use Checkout: the subscription is made as Checkout would make it. */
  async function subscribe(accountId: string): Promise<void> {
    const { hadFreeTrial } = await Payer.getOrBlank(accountId)
    await (
      await stripe()
    ).subscriptions.create({
      customer: await customerOf(accountId),
      items: [{ price, quantity: 1 }],
      metadata: { account_id: accountId },
      ...(!hadFreeTrial && { trial_period_days: 7 }),
    })
  }

  const means: Means = {
    subscribe: async (accountId, card) => {
      await putCard(accountId, card)
      await subscribe(accountId)
    },
    subscribeAgain: subscribe,
    pass: async (accountId, days) => {
      const { testClocks } = (await stripe()).testHelpers
      const clock = clocks.get(accountId)!
      const { frozen_time } = await testClocks.retrieve(clock)
      await testClocks.advance(clock, { frozen_time: frozen_time + days * 86_400 })
      for (;;) {
        const { status } = await testClocks.retrieve(clock)
        if (status === "ready") return
        if (status === "internal_failure") throw new Error("Stripe could not move its clock")
        await sleep(2000)
      }
    },
    putCard: async (accountId, card) => void (await putCard(accountId, card)),
    pay: async (accountId) => {
      const client = await stripe()
      const payment_method = await putCard(accountId, "pays")
      const { latest_invoice } = await client.subscriptions.retrieve((await Payer.get(accountId))!.said!.id)
      await client.invoices.pay(idOf(latest_invoice!), { payment_method })
    },
    cancelAtEnd: async (accountId) => {
      const { said } = (await Payer.get(accountId))!
      await (await stripe()).subscriptions.update(said!.id, { cancel_at_period_end: true })
    },
    paid: async (accountId) => {
      const { invoices } = await stripe()
      const { customer } = (await Payer.get(accountId))!
      const { data } = await invoices.list({ customer: customer!, status: "paid", limit: 100 })
      return data
        .map(({ amount_paid }) => amount_paid)
        .filter((amount) => amount > 0)
        .toReversed()
    },
  }

  test.for(Object.entries(scenarios))("%s", { timeout }, async ([, run]) => {
    await expect(run(means)).resolves.toBeUndefined()
  })
})
