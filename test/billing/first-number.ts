import { randomUUID } from "node:crypto"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { Checkout } from "#billing/checkout.ts"
import { makeAllDue, lookAtDue } from "#billing/look-at-accounts.ts"
import { lookAtStripe } from "#billing/look-at-stripe.ts"
import { Payer } from "#billing/payer.ts"
import { findOrOpenAccount } from "#core/account/account-at-sign-in.ts"
import { Billing } from "#core/account/billing.ts"
import { Member } from "#core/account/member.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { BridgesOfPhone } from "#core/bridge/bridges-of-phone.ts"
import { NewlyLinked } from "#core/lease/newly-linked.ts"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { startBilling } from "#one-machine/billing.ts"
import { Settings } from "#one-machine/service/settings.ts"
import { cardOf } from "#pretend-stripe/cards.ts"
import { LeaseNotes } from "#session-host/session/lease-notes.ts"
import { timing } from "#session-host/timing.ts"
import { payWith, stripe } from "#test/billing/support/billed.ts"
import { aHeldLease } from "#test/support/held-lease.ts"
import { json } from "#test/support/service/customer.ts"
import { until } from "#test/support/until.ts"
import { card, newcomer, paid, subscriber, stateOf, ofStripe, isDue, quantityOf } from "./subscriber.ts"

/** An account whose owner has this address, and has put this card on file. */
async function begun(email: string, fingerprint: string): Promise<string> {
  const { account } = await newcomer()
  const { person } = await findOrOpenAccount(email)
  await Member.add(account.id, person, "owner")
  await payWith(card.pays, (await Checkout.begin(account.id, email))!)
  for (const { customer } of ofStripe(account.id))
    stripe.book.cards[customer] = { ...cardOf(card.pays)!, fingerprint }
  await lookAtStripe(account.id)
  return account.id
}

/** A phone is linked to a number of the account. */
async function links(accountId: string, phone: string): Promise<void> {
  const { bridge } = await Bridge.create({ accountId, customerRef: "first" })
  const notes = new LeaseNotes(await aHeldLease(bridge.id), { ...timing(), beatMs: 100 }, log)
  onTestFinished(() => notes.end())
  notes.report("connected", undefined, () => ({ phone: "sealed", phone_hash: BridgesOfPhone.hashOf(phone) }))
  await until(async () => (await NewlyLinked.list()).includes(bridge.id))
  await lookAtDue()
}

describe("a first number", () => {
  test("is refused with both of the dashboard's pages until there is a subscription, then created", async () => {
    const customer = await newcomer()
    const { id } = customer.account
    const refused = await customer.post("/api/instances", { customer_ref: "shop" })
    expect(refused.status).toBe(402)
    expect(await json(refused)).toMatchObject({
      code: "no_subscription",
      dashboard_url: expect.stringMatching(/^http:\/\/localhost/),
      billing_url: expect.stringMatching(/\/subscription$/),
    })
    const page = await Checkout.begin(id, "ada@example.com")
    expect(await payWith(card.pays, page!)).toMatch(/\/subscription\/return$/)
    await Checkout.wantedAfterPayment(id)
    expect(await stateOf(id)).toBe("trialing")
    expect((await customer.post("/api/instances", { customer_ref: "shop" })).status).toBe(201)
    const { said } = (await Payer.get(id))!
    expect(said!.freeTrialEnd! - Date.now() / 1000).toBeGreaterThan(6.9 * 86_400)
  })

  test("is paid once, though two tabs ask for the page at once and both pay it", async () => {
    stripe.webhooks.hold()
    const { account } = await newcomer()
    const begin = () => Checkout.begin(account.id, "ada@example.com")
    const [one, other] = await Promise.all([begin(), begin()])
    expect(one).toBe(other)
    await Promise.all([payWith(card.pays, one!), payWith(card.pays, other!)])
    expect(await begin()).toBeUndefined()
    expect(ofStripe(account.id)).toHaveLength(1)
  })

  test("has one free trial for an address, a card and a phone, whose second one ends when it is linked", async () => {
    stripe.webhooks.hold()
    const own = randomUUID()
    const first = await begun(`carl.${own}@gmail.com`, own)
    expect(await stateOf(first)).toBe("trialing")
    await links(first, "15550001")
    expect([await stateOf(first), paid(first)]).toEqual(["trialing", []])
    await lookAtStripe(first)
    expect(await stateOf(first)).toBe("trialing")

    // The page of Checkout offers none to the same address, and charges at once.
    expect(await stateOf(await begun(`carl${own}+2@googlemail.com`, randomUUID()))).toBe("active")
    // The same card is seen when it is on file, the same phone when it is linked.
    const sameCard = await begun(`${randomUUID()}@example.com`, own)
    expect([await stateOf(sameCard), paid(sameCard).length]).toEqual(["active", 1])
    const other = await begun(`${randomUUID()}@example.com`, randomUUID())
    expect(await stateOf(other)).toBe("trialing")
    await links(other, "15550001")
    expect([await stateOf(other), paid(other).length]).toEqual(["active", 1])
  })

  test("is seen as paid although the tab was closed: by the webhook, and without one by the nightly look", async () => {
    stripe.webhooks.letGo()
    const { account: told } = await newcomer()
    await payWith(card.pays, (await Checkout.begin(told.id, "ada@example.com"))!)
    await until(() => isDue(told.id))
    await lookAtDue()
    expect(await stateOf(told.id)).toBe("trialing")

    stripe.webhooks.hold()
    const { account: untold } = await newcomer()
    await payWith(card.pays, (await Checkout.begin(untold.id, "ada@example.com"))!)
    stripe.webhooks.letGo()
    await makeAllDue()
    await lookAtDue()
    expect(await stateOf(untold.id)).toBe("trialing")
  })

  test("is not created by an address of the return page without a payment", async () => {
    const { account } = await newcomer()
    await Checkout.want(account.id, { customerRef: "shop", webhookUrl: "" })
    await Checkout.begin(account.id, "ada@example.com")
    expect(await Checkout.wantedAfterPayment(account.id)).toBeUndefined()
    expect(await stateOf(account.id)).toBe("none")
  })

  test("that was wanted when the tab was closed is not paid for ever, but until it is there or for a day", async () => {
    const { id, bridge } = await subscriber()
    expect((await Payer.get(id))!.wanted).toBeUndefined()
    await Bridge.remove(bridge)
    await lookAtDue()
    expect(quantityOf(id)).toBe(0)
    await Checkout.want(id, { customerRef: "later", webhookUrl: "" })
    await lookAtStripe(id)
    expect(quantityOf(id)).toBe(1)
    vi.setSystemTime(Date.now() + 86_401_000)
    await lookAtStripe(id)
    expect(quantityOf(id)).toBe(0)
  })

  test("is not lost to a failure of Stripe's, which Stripe would repeat under the same key for a day", async () => {
    const { account } = await newcomer()
    expect(await Checkout.begin(account.id, "ada@example.com")).toContain("/checkout/")
    const { account: unlucky } = await newcomer()
    // First the customer fails, then the page. The SDK repeats each under its key, and gets the same answer.
    stripe.fail(1)
    await expect(Checkout.begin(unlucky.id, "ada@example.com")).rejects.toThrow("wrong at Stripe")
    await Payer.change(await Payer.getOrBlank(unlucky.id), {
      customer: Object.keys(stripe.book.customers)[0],
    })
    stripe.fail(1)
    await expect(Checkout.begin(unlucky.id, "ada@example.com")).rejects.toThrow("wrong at Stripe")
    expect(await Checkout.begin(unlucky.id, "ada@example.com")).toContain("/checkout/")
  })

  test("needs the step that its card wants, and a card that is not declined", async () => {
    stripe.webhooks.hold()
    const { account } = await newcomer()
    const page = (await Checkout.begin(account.id, "ada@example.com"))!
    expect(await payWith("4000000000000002", page)).toContain("declined")
    expect(await payWith(card.wantsStep, page)).toContain("wants a step")
    expect(await payWith(card.wantsStep, page, { step: "failed" })).toContain("nothing was paid")
    await lookAtStripe(account.id)
    expect(await stateOf(account.id)).toBe("none")
    await payWith(card.wantsStep, page, { step: "done" })
    await lookAtStripe(account.id)
    expect(await stateOf(account.id)).toBe("trialing")
  })
})

test("a dashboard whose address is not set fails no refusal, and one below a path is where it is", async () => {
  const { post } = await newcomer()
  const { DASHBOARD_URL } = config
  onTestFinished(() => void Object.assign(config, { DASHBOARD_URL }))
  Object.assign(config, { DASHBOARD_URL: "" })
  const refused = await post("/api/instances", { customer_ref: "shop" })
  expect([refused.status, await json(refused)]).toMatchObject([402, { dashboard_url: "", billing_url: "" }])
  Object.assign(config, { DASHBOARD_URL: "https://example.com/bridges/" })
  expect(Billing.dashboardUrl("/subscription/return")).toBe("https://example.com/bridges/subscription/return")

  // Set to nothing, it is this machine's: Stripe needs an address to lead back to.
  vi.stubEnv("DASHBOARD_URL", "")
  onTestFinished(() => void vi.unstubAllEnvs())
  const given = { STRIPE_SECRET_KEY: "sk_test_1", STRIPE_WEBHOOK_SECRET: "whsec_1", STRIPE_PRICE: "price_1" }
  const { forAll } = await startBilling(
    Settings.parse({ BILLING: "stripe", ...given }),
    "http://127.0.0.1:3000",
    [],
  )
  expect(forAll).toEqual({ BILLING: "stripe", DASHBOARD_URL: "http://localhost:3000" })
})
