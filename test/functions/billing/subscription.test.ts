import { payWith, stripe } from "#test/support/service/billed.ts"
import { randomUUID } from "node:crypto"
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest"
import { account as accountVerbs } from "#admin/account.ts"
import { billing } from "#admin/billing.ts"
import { bridge as bridgeVerbs } from "#admin/bridge.ts"
import { Account } from "#core/account/account.ts"
import { remove as removeAccount } from "#core/account/remove.ts"
import { Billing } from "#core/billing/billing.ts"
import { Checkout } from "#core/billing/checkout.ts"
import { endBilling } from "#core/billing/turned-off.ts"
import { Due } from "#core/billing/due.ts"
import { look } from "#core/billing/look.ts"
import { Money } from "#core/billing/money.ts"
import { Payer } from "#core/billing/payer.ts"
import { stripe as sdk } from "#core/billing/stripe.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { config } from "#core/platform/config.ts"
import { Lease } from "#core/lease/lease.ts"
import { get } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { lookAtAll, lookAtDue } from "#functions/billing/looks.ts"
import { startBilling } from "#local/service/billing.ts"
import { Settings } from "#local/service/settings.ts"
import { aCustomer, json } from "#test/support/service/customer.ts"
import { until } from "#test/support/until.ts"

const admin = { account: accountVerbs, bridge: bridgeVerbs, billing }

afterEach(() => {
  stripe.away(false)
  stripe.loseAnswers(0)
  stripe.fail(0)
  stripe.webhooks.letGo()
  vi.useRealTimers()
})

const card = { pays: "4242424242424242", fails: "4000000000000341", wantsStep: "4000000000003220" }

/** An account that has not heard of Stripe yet, with its key. */
async function newcomer() {
  const customer = await aCustomer({ subscription: "none" })
  await Account.followStripe(customer.account.id)
  return customer
}

/** An account that has put a card on file and linked its first number; webhooks are held back. */
async function subscriber(number = card.pays) {
  stripe.webhooks.hold()
  const customer = await newcomer()
  const { id } = customer.account
  await Checkout.want(id, { customerRef: "first", webhookUrl: "" })
  const page = await Checkout.begin(id, "ada@example.com")
  await payWith(number, page!)
  await Checkout.returned(id)
  const { bridge } = await Bridge.create({ accountId: id, customerRef: "first" })
  await look(id)
  return { ...customer, id, bridge }
}

const stateOf = async (accountId: string) => (await Account.get(accountId))!.subscription
const ofStripe = (accountId: string) =>
  Object.values(stripe.book.subscriptions).filter(({ metadata }) => metadata.account_id === accountId)
const leaseOf = async (bridge: Bridge.Info) => (await Lease.get(bridge.id))!
const isDue = async (accountId: string) => (await Due.list()).some((mark) => mark.accountId === accountId)
const days = async (accountId: string, count: number) => {
  stripe.advance(count)
  await look(accountId)
}

const rowOf = async (accountId: string) =>
  await get(tables.accounts, { pk: `ACCOUNT#${accountId}`, sk: "PAYER" })

/** The operator deletes an account's customer on Stripe's own pages. */
async function deleteAtStripe(accountId: string): Promise<void> {
  const { customer } = (await Payer.get(accountId))!
  await (await sdk()).customers.del(customer!)
}

const aHint = (accountId: string, about: Record<string, string> = {}) => ({
  id: `evt_${randomUUID()}`,
  object: "event",
  type: "customer.subscription.updated",
  data: { object: { id: "sub_1", status: "active", metadata: { account_id: accountId }, ...about } },
})

const latestInvoice = (accountId: string) => stripe.book.invoices[ofStripe(accountId)[0]!.latest_invoice!]!

/** The amounts that an account has paid, in cents. */
const paid = (accountId: string) =>
  Object.values(stripe.book.invoices)
    .filter(({ parent }) => parent.subscription_details.metadata.account_id === accountId)
    .map(({ amount_paid }) => amount_paid)
    .filter((amount) => amount > 0)

const quantityOf = (accountId: string) => ofStripe(accountId)[0]!.items.data[0].quantity

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
    await Checkout.returned(id)
    expect(await stateOf(id)).toBe("trialing")
    expect((await customer.post("/api/instances", { customer_ref: "shop" })).status).toBe(201)
    const { said } = (await Payer.get(id))!
    expect(said!.trialEnd! - Date.now() / 1000).toBeGreaterThan(6.9 * 86_400)
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
    await lookAtAll()
    await lookAtDue()
    expect(await stateOf(untold.id)).toBe("trialing")
  })

  test("is not created by an address of the return page that nobody paid for", async () => {
    const { account } = await newcomer()
    await Checkout.want(account.id, { customerRef: "shop", webhookUrl: "" })
    await Checkout.begin(account.id, "ada@example.com")
    expect(await Checkout.returned(account.id)).toBeUndefined()
    expect(await stateOf(account.id)).toBe("none")
  })

  test("that was wanted when the tab was closed is not paid for ever: it is forgotten once it is there, or after a day", async () => {
    const { id, bridge } = await subscriber()
    expect((await Payer.get(id))!.wanted).toBeUndefined()
    await Bridge.remove(bridge)
    await lookAtDue()
    expect(quantityOf(id)).toBe(0)
    await Checkout.want(id, { customerRef: "later", webhookUrl: "" })
    await look(id)
    expect(quantityOf(id)).toBe(1)
    vi.setSystemTime(Date.now() + 86_401_000)
    await look(id)
    expect(quantityOf(id)).toBe(0)
  })

  test("is not lost to a failure of Stripe's, which Stripe would repeat under the same key for a day", async () => {
    const { account } = await newcomer()
    expect(await Checkout.begin(account.id, "ada@example.com")).toContain("/checkout/")
    const { account: unlucky } = await newcomer()
    // First the customer fails, then the page. The SDK repeats each under its key, and gets the same answer.
    stripe.fail(1)
    await expect(Checkout.begin(unlucky.id, "ada@example.com")).rejects.toThrow("wrong at Stripe")
    await Payer.change(await Payer.of(unlucky.id), { customer: Object.keys(stripe.book.customers)[0] })
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
    await look(account.id)
    expect(await stateOf(account.id)).toBe("none")
    await payWith(card.wantsStep, page, { step: "done" })
    await look(account.id)
    expect(await stateOf(account.id)).toBe("trialing")
  })
})

describe("a payment that fails", () => {
  test("stops no bridge while Stripe still tries, then all of them; and paying lets them run again", async () => {
    const { id, bridge, post, call } = await subscriber(card.fails)
    await days(id, 8)
    expect(await stateOf(id)).toBe("past_due")
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
    const refused = await post("/api/instances", { customer_ref: "second" })
    expect([refused.status, await json(refused)]).toMatchObject([402, { code: "payment_required" }])

    await days(id, 16)
    expect(await stateOf(id)).toBe("unpaid")
    expect(await leaseOf(bridge)).toMatchObject({ host: Lease.NONE, reason: "billing" })
    expect((await post("/api/instances", { customer_ref: "second" })).status).toBe(402)
    const asked = await call("GET", "/api/instances/first/proxy/status")
    expect([asked.status, await json(asked)]).toMatchObject([409, { code: "bridge_paused" }])
    expect(await json(call("GET", "/api/instances/first"))).toMatchObject({ paused_reason: "billing" })

    const invoice = stripe.book.invoices[ofStripe(id)[0]!.latest_invoice!]!
    expect(await payWith(card.fails, invoice.hosted_invoice_url)).toContain("declined")
    await payWith(card.pays, invoice.hosted_invoice_url)
    await look(id)
    expect(await stateOf(id)).toBe("active")
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
  })

  test("for want of a step leaves the bridge running until the step is made", async () => {
    stripe.webhooks.hold()
    const { account } = await newcomer()
    const page = (await Checkout.begin(account.id, "ada@example.com"))!
    await payWith(card.wantsStep, page, { step: "done" })
    await days(account.id, 8)
    expect(await stateOf(account.id)).toBe("past_due")
    const invoice = stripe.book.invoices[ofStripe(account.id)[0]!.latest_invoice!]!
    await payWith(card.wantsStep, invoice.hosted_invoice_url, { step: "done" })
    await look(account.id)
    expect(await stateOf(account.id)).toBe("active")
  })

  test("wakes no bridge that its operator has stopped, and keeps one that slept from waking unpaid", async () => {
    const { id, bridge, call } = await subscriber(card.fails)
    const { bridge: slept } = await Bridge.create({ accountId: id, customerRef: "slept" })
    await Lease.stop(bridge.id, "manual")
    await Lease.stop(slept.id, "idle")
    await days(id, 24)
    expect((await call("GET", "/api/instances/slept/proxy/status")).status).toBe(409)
    await payWith(card.pays, stripe.book.invoices[ofStripe(id)[0]!.latest_invoice!]!.hosted_invoice_url)
    await look(id)
    expect((await leaseOf(bridge)).reason).toBe("manual")
    expect(Lease.stateOf(await leaseOf(slept))).toBe("running")
  })

  test("is not hidden by a pause of the operator's: once it is made, the bridge runs", async () => {
    const { id, bridge } = await subscriber(card.fails)
    await days(id, 24)
    await expect(admin.bridge.pause!.run([bridge.id])).rejects.toThrow("it is stopped already")
    expect((await leaseOf(bridge)).reason).toBe("billing")
    await payWith(card.pays, (await Money.payPage(id))!)
    await look(id)
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
    await admin.bridge.pause!.run([bridge.id])
    expect((await leaseOf(bridge)).reason).toBe("manual")
  })

  test("has cost the bridges only after thirty days, and never those that are paid again", async () => {
    const { id } = await subscriber(card.fails)
    await days(id, 24)
    vi.setSystemTime(Date.now() + 29 * 86_400_000)
    await look(id)
    expect(await Bridge.list(id)).toHaveLength(1)
    vi.setSystemTime(Date.now() + 2 * 86_400_000)
    await look(id)
    expect(await Bridge.list(id)).toHaveLength(0)

    vi.useRealTimers()
    const { id: paying } = await subscriber(card.fails)
    await days(paying, 24)
    vi.setSystemTime(Date.now() + 29 * 86_400_000)
    await payWith(card.pays, (await Money.payPage(paying))!)
    await look(paying)
    vi.setSystemTime(Date.now() + 2 * 86_400_000)
    await look(paying)
    expect(await Bridge.list(paying)).toHaveLength(1)
    expect(await stateOf(paying)).toBe("active")
  })

  test("after months is mended by paying the latest invoice, which Stripe leaves a draft", async () => {
    const { id, bridge } = await subscriber(card.fails)
    await days(id, 24)
    const old = latestInvoice(id).hosted_invoice_url
    await days(id, 30)
    expect(latestInvoice(id).status).toBe("draft")
    await payWith(card.pays, old)
    await look(id)
    expect(await stateOf(id)).toBe("unpaid")
    // Two tabs ask for its page at once.
    const [page, same] = await Promise.all([Money.payPage(id), Money.payPage(id)])
    expect(page).toBe(same)
    await payWith(card.pays, page!)
    await look(id)
    expect(await stateOf(id)).toBe("active")
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
  })

  test("and that Stripe leaves past due stops the bridges after sixty days", async () => {
    const { id, bridge } = await subscriber(card.fails)
    await days(id, 8)
    latestInvoice(id).next_payment_attempt = Number.MAX_SAFE_INTEGER
    vi.setSystemTime(Date.now() + 59 * 86_400_000)
    await look(id)
    expect(await stateOf(id)).toBe("past_due")
    vi.setSystemTime(Date.now() + 2 * 86_400_000)
    await look(id)
    expect(await stateOf(id)).toBe("unpaid")
    expect((await leaseOf(bridge)).reason).toBe("billing")
  })
})

describe("a subscription that ends", () => {
  test("has one trial: the next one is paid at once", async () => {
    const { id, bridge } = await subscriber()
    ofStripe(id)[0]!.cancel_at_period_end = true
    await days(id, 8)
    expect(await stateOf(id)).toBe("canceled")
    expect((await leaseOf(bridge)).reason).toBe("billing")
    const page = await Checkout.begin(id, "ada@example.com")
    await payWith(card.pays, page!)
    await look(id)
    expect(await stateOf(id)).toBe("active")
    expect(ofStripe(id).map(({ trial_end }) => trial_end !== null)).toEqual([true, false])
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
  })

  test("begins again for as many numbers as wait for it", async () => {
    const { id } = await subscriber()
    await Bridge.create({ accountId: id, customerRef: "second" })
    ofStripe(id)[0]!.cancel_at_period_end = true
    await days(id, 8)
    await payWith(card.pays, (await Checkout.begin(id, "ada@example.com"))!)
    expect(ofStripe(id)[1]!.items.data[0].quantity).toBe(2)
  })

  test("with its account leaves no page of Checkout that could still be paid", async () => {
    const { account } = await newcomer()
    const page = (await Checkout.begin(account.id, "ada@example.com"))!
    await removeAccount(account.id)
    await lookAtDue()
    expect(await payWith(card.pays, page)).toContain("This page is done")
    expect(ofStripe(account.id)).toEqual([])
    // A subscription that somehow lived would be told of within a month, and then canceled.
    const { others, checkout, expires_at } = (await rowOf(account.id))!
    expect([others, checkout]).toEqual([undefined, undefined])
    expect(Number(expires_at) - Date.now() / 1000).toBeGreaterThan(60 * 86_400)
  })

  test("is canceled when its webhook says that it lives on without its account", async () => {
    const { id, bridge } = await subscriber()
    await Bridge.remove(bridge)
    await removeAccount(id)
    await lookAtDue()
    const [first] = ofStripe(id)
    const lives = { ...structuredClone(first!), id: "sub_left", status: "active" as const }
    stripe.book.subscriptions.sub_left = lives
    await stripe.webhooks.send(aHint(id, { id: "sub_left", customer: first!.customer }))
    await lookAtDue()
    expect(ofStripe(id).map(({ status }) => status)).toEqual(["canceled", "canceled"])
    expect(await isDue(id)).toBe(false)
  })

  test("with its account is canceled at Stripe, also if Stripe was away at that moment", async () => {
    const { id, bridge } = await subscriber()
    stripe.away(true)
    await Bridge.remove(bridge)
    expect(await removeAccount(id)).toBe(true)
    await lookAtDue()
    expect(ofStripe(id)[0]!.status).toBe("trialing")
    stripe.away(false)
    vi.setSystemTime(Date.now() + 31_000)
    await lookAtDue()
    expect(ofStripe(id)[0]!.status).toBe("canceled")
    expect(await isDue(id)).toBe(false)
  })

  test("by a second one leaves the first, and nobody pays twice", async () => {
    const { id } = await subscriber()
    const [first] = ofStripe(id)
    stripe.book.subscriptions.sub_second = { ...structuredClone(first!), id: "sub_second" }
    await look(id)
    expect(ofStripe(id).map(({ status }) => status)).toEqual(["trialing", "canceled"])
  })

  test("by a second one that is paid, while the first is not, leaves the one that is paid", async () => {
    const { id, bridge } = await subscriber(card.fails)
    await days(id, 24)
    const [first] = ofStripe(id)
    stripe.book.subscriptions.sub_paid = { ...structuredClone(first!), id: "sub_paid", status: "active" }
    await look(id)
    expect(ofStripe(id).map(({ status }) => status)).toEqual(["canceled", "active"])
    expect(await stateOf(id)).toBe("active")
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
  })

  test("by a second one of another customer, as after a change of keys, is the one that stays", async () => {
    const { id } = await subscriber()
    const [first] = ofStripe(id)
    const other = { ...Object.values(stripe.book.customers)[0]!, id: "cus_other" }
    stripe.book.customers.cus_other = other
    const second = { ...structuredClone(first!), id: "sub_other", customer: "cus_other" }
    stripe.book.subscriptions.sub_other = second
    await stripe.webhooks.send(aHint(id, { id: "sub_other", customer: "cus_other" }))
    await lookAtDue()
    expect(ofStripe(id).map(({ status }) => status)).toEqual(["trialing", "canceled"])
    // The customer that was forgotten is the only one who pays: they are the account's from now on.
    ofStripe(id)[0]!.status = "canceled"
    second.status = "trialing"
    await look(id)
    expect(await stateOf(id)).toBe("trialing")
    expect(await Payer.get(id)).toMatchObject({ customer: "cus_other", others: [first!.customer] })
  })
})

describe("a customer", () => {
  test("whom somebody deleted at Stripe has ended: told, paused, and able to subscribe anew", async () => {
    const { id, bridge } = await subscriber()
    await deleteAtStripe(id)
    expect(await Money.payPage(id)).toBeUndefined()
    expect(await stateOf(id)).toBe("canceled")
    expect((await leaseOf(bridge)).reason).toBe("billing")
    const page = await Checkout.begin(id, "ada@example.com")
    expect(await Checkout.begin(id, "ada@example.com")).toBe(page)
    await payWith(card.pays, page!)
    await look(id)
    expect(await stateOf(id)).toBe("active")
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
  })

  test("who is deleted while a page of Checkout is open gets another page", async () => {
    const { account } = await newcomer()
    const page = await Checkout.begin(account.id, "ada@example.com")
    await deleteAtStripe(account.id)
    const next = await Checkout.begin(account.id, "ada@example.com")
    expect(next).not.toBe(page)
    await payWith(card.pays, next!)
    await look(account.id)
    expect(await stateOf(account.id)).toBe("trialing")
  })

  test("whom Stripe does not know has no subscription until it does: nothing runs unpaid, and nothing is deleted", async () => {
    const { id, bridge } = await subscriber()
    const { customer } = (await Payer.get(id))!
    const known = stripe.book.customers[customer!]!
    delete stripe.book.customers[customer!]
    expect(await Money.portal(id)).toBeUndefined()
    expect(await stateOf(id)).toBe("none")
    expect((await leaseOf(bridge)).reason).toBe("billing")
    expect((await Payer.get(id))!.stoppedAt).toBeUndefined()
    stripe.book.customers[customer!] = known
    await look(id)
    expect(await stateOf(id)).toBe("trialing")
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
  })

  test("whom the live Stripe does not even know as deleted stays as they are: the key may be another account's", async () => {
    const { BILLING, STRIPE_SECRET_KEY } = config
    onTestFinished(() => void Object.assign(config, { BILLING, STRIPE_SECRET_KEY }))
    Object.assign(config, { BILLING: "stripe", STRIPE_SECRET_KEY: "rk_live_of_the_operator" })
    const { id, bridge } = await subscriber()
    const { customer } = (await Payer.get(id))!
    const known = stripe.book.customers[customer!]!
    delete stripe.book.customers[customer!]
    await expect(look(id)).rejects.toMatchObject({ code: "resource_missing" })
    expect(await stateOf(id)).toBe("trialing")
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
    stripe.book.customers[customer!] = known
    await deleteAtStripe(id)
    await look(id)
    expect(await stateOf(id)).toBe("canceled")
  })

  test("whom Stripe never knows again subscribes as a new one, without a second trial", async () => {
    const { id } = await subscriber()
    stripe.book.customers = {}
    await payWith(card.pays, (await Checkout.begin(id, "ada@example.com"))!)
    await look(id)
    expect(await stateOf(id)).toBe("active")
  })
})

describe("a webhook", () => {
  test("that somebody forged, that is too old, or whose bytes were changed is refused, and nothing is looked at", async () => {
    const { id } = await subscriber()
    await lookAtDue()
    expect(await stripe.webhooks.send(aHint(id), { secret: "whsec_another" })).toBe(400)
    expect(await stripe.webhooks.send(aHint(id), { at: Math.floor(Date.now() / 1000) - 301 })).toBe(400)
    const bare = await fetch(`${process.env.DASHBOARD_URL}/billing/webhook`, { method: "POST", body: "{}" })
    expect(bare.status).toBe(400)
    expect(await isDue(id)).toBe(false)
  })

  test("is believed in nothing but that something changed", async () => {
    const { id } = await subscriber(card.fails)
    await days(id, 24)
    expect(await stripe.webhooks.send(aHint(id))).toBe(200)
    await lookAtDue()
    expect(await stateOf(id)).toBe("unpaid")
  })

  test("may come in any order, late and twice: what Stripe says last stands", async () => {
    const { id } = await subscriber(card.fails)
    stripe.advance(24)
    await payWith(card.pays, stripe.book.invoices[ofStripe(id)[0]!.latest_invoice!]!.hosted_invoice_url)
    const told = stripe.webhooks.letGo()
    expect(told.length).toBeGreaterThan(4)
    for (const event of [...told.toReversed(), ...told]) {
      expect(await stripe.webhooks.send(event)).toBe(200)
      await lookAtDue()
    }
    expect(await stateOf(id)).toBe("active")
  })

  test("of an account that is not here, or of another service, is thanked for and forgotten", async () => {
    const stranger = randomUUID()
    expect(await stripe.webhooks.send(aHint(stranger))).toBe(200)
    expect(await stripe.webhooks.send({ ...aHint(stranger), data: { object: {} } })).toBe(200)
    expect(await isDue(stranger)).toBe(false)
  })

  test("is not lost when Stripe is away for an hour after it: the look comes again", async () => {
    const { id, bridge } = await subscriber(card.fails)
    await lookAtDue()
    stripe.advance(24)
    await stripe.webhooks.send(aHint(id))
    stripe.away(true)
    await lookAtDue()
    expect(await stateOf(id)).toBe("trialing")
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
    stripe.away(false)
    await lookAtDue()
    expect(await stateOf(id)).toBe("trialing")
    vi.setSystemTime(Date.now() + 3_600_000)
    await lookAtDue()
    expect(await stateOf(id)).toBe("unpaid")
  })
})

describe("the quantity", () => {
  test("is the number of bridges: without the sandbox, the deleted and those that the operator suspended", async () => {
    const { id, bridge } = await subscriber()
    for (const ref of ["second", "third", "fourth"]) await Bridge.create({ accountId: id, customerRef: ref })
    await lookAtDue()
    expect(quantityOf(id)).toBe(4)
    await Bridge.remove(bridge)
    await Lease.stop((await Bridge.get(id, "second")).id, "suspended")
    await lookAtDue()
    expect(quantityOf(id)).toBe(2)
  })

  test("is changed once though the answers are lost, and follows a bridge that is deleted meanwhile", async () => {
    const { id } = await subscriber()
    const { bridge } = await Bridge.create({ accountId: id, customerRef: "second" })
    stripe.loseAnswers(3)
    await lookAtDue()
    expect(quantityOf(id)).toBe(2)
    expect((await Payer.get(id))!.asked).toBe(2)
    await Bridge.remove(bridge)
    await lookAtDue()
    expect(quantityOf(id)).toBe(1)
    expect(await isDue(id)).toBe(false)
    expect((await Payer.get(id))!.asked).toBeUndefined()
    const keys = Object.keys(stripe.book.answered).filter((key) => key.startsWith(`qty:${id}:`))
    expect(keys).toEqual([`qty:${id}:1`, `qty:${id}:2`])
  })

  test("goes back to what it was under a key of its own: Stripe would answer the old one from memory", async () => {
    const { id } = await subscriber()
    for (const count of [2, 1, 2, 1]) {
      if (count === 2) await Bridge.create({ accountId: id, customerRef: "second" })
      else await Bridge.remove(await Bridge.get(id, "second"))
      await lookAtDue()
      expect(quantityOf(id)).toBe(count)
    }
  })

  test("that grows within a period is charged at once for its rest, one that shrinks is a credit: no day is paid twice", async () => {
    const { id, bridge } = await subscriber()
    await days(id, 7)
    expect(paid(id)).toEqual([900])
    await days(id, 10)
    stripe.loseAnswers(3)
    const second = await Bridge.create({ accountId: id, customerRef: "second" })
    await lookAtDue()
    await look(id)
    expect(quantityOf(id)).toBe(2)
    expect(paid(id)).toEqual([900, 600])
    expect(await stateOf(id)).toBe("active")

    await days(id, 5)
    await Bridge.remove(second.bridge)
    await look(id)
    expect(paid(id)).toEqual([900, 600])
    expect((await Money.coming((await Payer.get(id))!))!.cents).toBe(450)
    await days(id, 15)
    // One number for sixty days, and another for five.
    expect(paid(id).reduce((sum, one) => sum + one)).toBe(1800 + 150)
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
  })

  test("that grows while its payment fails makes the account past due, and the page leads to what is open", async () => {
    const { id, bridge } = await subscriber()
    await days(id, 10)
    const { customer } = (await Payer.get(id))!
    stripe.book.cards[customer!] = { last4: "0341", fails: true, wantsStep: false }
    await Bridge.create({ accountId: id, customerRef: "second" })
    await look(id)
    await look(id)
    expect(await stateOf(id)).toBe("past_due")
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
    // Fewer numbers make no invoice of their own, which would stand before the one that is open.
    await Bridge.remove(await Bridge.get(id, "second"))
    await look(id)
    await payWith(card.pays, (await Money.payPage(id))!)
    await look(id)
    expect(await stateOf(id)).toBe("active")
  })

  test("that cannot be changed stops no bridge, and stays due", async () => {
    const { id, bridge } = await subscriber()
    await Bridge.create({ accountId: id, customerRef: "second" })
    stripe.away(true)
    await lookAtDue()
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
    expect((await leaseOf(await Bridge.get(id, "second"))).reason).toBeUndefined()
    stripe.away(false)
    vi.setSystemTime(Date.now() + 31_000)
    await lookAtDue()
    expect(quantityOf(id)).toBe(2)
  })
})

describe("billing that is turned off", () => {
  test("lets the bridges run that waited for a payment, and on again Stripe's word counts from that day", async () => {
    const { id, bridge, post } = await subscriber(card.fails)
    const { bridge: suspended } = await Bridge.create({ accountId: id, customerRef: "suspended" })
    await Lease.stop(suspended.id, "suspended")
    await days(id, 24)
    expect((await leaseOf(bridge)).reason).toBe("billing")
    await expect(admin.billing.end!.run([])).rejects.toThrow("without BILLING first")
    // The command's own refusal is of this process's settings: what it does is the same as at a start without them.
    expect((await endBilling()).charged).toBeGreaterThan(0)
    expect(await stateOf(id)).toBe("active")
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
    expect(Lease.stateOf(await leaseOf(suspended))).toBe("suspended")
    expect((await post("/api/instances", { customer_ref: "third" })).status).toBe(201)

    vi.setSystemTime(Date.now() + 40 * 86_400_000)
    await look(id)
    expect(await stateOf(id)).toBe("unpaid")
    expect((await leaseOf(bridge)).reason).toBe("billing")
    expect(await Bridge.list(id)).toHaveLength(3)
  })

  test("leaves the operator's word as it is", async () => {
    const { id } = await subscriber()
    await Account.setSubscription(id, "none")
    await endBilling()
    expect(await stateOf(id)).toBe("none")
  })
})

test("the price that an account sees is its own, which the operator's next one leaves as it is", async () => {
  const { id } = await subscriber()
  const [item] = ofStripe(id)[0]!.items.data
  item.price = { ...item.price, unit_amount: 700 }
  expect(await Money.price((await Payer.get(id))!)).toMatchObject({ cents: 700, currency: "eur" })
  const { account } = await newcomer()
  expect(await Money.price(await Payer.of(account.id))).toEqual({
    cents: 900,
    currency: "eur",
    interval: "month",
    count: 1,
  })
})

describe("the operator's word", () => {
  test("stands against Stripe's until it is taken back", async () => {
    const { id, bridge } = await subscriber(card.fails)
    await Account.setSubscription(id, "active")
    await days(id, 24)
    expect(await stateOf(id)).toBe("active")
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
    await Account.followStripe(id)
    await look(id)
    expect(await stateOf(id)).toBe("unpaid")
    expect((await leaseOf(bridge)).reason).toBe("billing")
  })

  test("closes a page of Checkout that is open, and taken back from a guest costs them no data", async () => {
    const { account } = await newcomer()
    const page = (await Checkout.begin(account.id, "ada@example.com"))!
    await Account.setSubscription(account.id, "active")
    await look(account.id)
    expect(await payWith(card.pays, page)).toContain("This page is done")
    const { bridge } = await Bridge.create({ accountId: account.id, customerRef: "guest" })
    await Account.followStripe(account.id)
    await look(account.id)
    expect((await leaseOf(bridge)).reason).toBe("billing")
    vi.setSystemTime(Date.now() + 40 * 86_400_000)
    await look(account.id)
    expect(await Bridge.list(account.id)).toHaveLength(1)
  })

  test("stops the bridges of an account that has never been at Stripe, keeps their data, and lets them run again", async () => {
    const { account } = await aCustomer({ subscription: "active" })
    const { bridge } = await Bridge.create({ accountId: account.id, customerRef: "guest" })
    await admin.account.subscription!.run([account.id, "canceled"])
    await lookAtDue()
    expect((await leaseOf(bridge)).reason).toBe("billing")
    vi.setSystemTime(Date.now() + 40 * 86_400_000)
    await look(account.id)
    expect(await Bridge.list(account.id)).toHaveLength(1)
    await admin.account.subscription!.run([account.id, "active"])
    await lookAtDue()
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
  })

  test("at a bridge changes what its account pays for: suspended it costs nothing, resumed or woken it does", async () => {
    const { id, bridge } = await subscriber()
    await Bridge.create({ accountId: id, customerRef: "second" })
    await lookAtDue()
    for (const [verb, quantity] of [
      ["suspend", 1],
      ["resume", 2],
      ["pause", 2],
      ["wake", 2],
    ] as const) {
      expect(await isDue(id)).toBe(false)
      await admin.bridge[verb]!.run([bridge.id])
      expect([verb, await isDue(id)]).toEqual([verb, true])
      await lookAtDue()
      expect([verb, quantityOf(id)]).toEqual([verb, quantity])
    }
  })

  test("for accounts that were there before billing is left alone", async () => {
    const { account, post } = await aCustomer({ subscription: "active" })
    expect((await post("/api/instances", { customer_ref: "shop" })).status).toBe(201)
    await lookAtAll()
    await lookAtDue()
    expect(await stateOf(account.id)).toBe("active")
    expect(await Payer.get(account.id)).toBeUndefined()
  })
})

test("a dashboard whose address nobody set fails no refusal, and one below a path is where it is", async () => {
  const { post } = await newcomer()
  const { DASHBOARD_URL } = config
  onTestFinished(() => void Object.assign(config, { DASHBOARD_URL }))
  Object.assign(config, { DASHBOARD_URL: "" })
  const refused = await post("/api/instances", { customer_ref: "shop" })
  expect([refused.status, await json(refused)]).toMatchObject([402, { dashboard_url: "", billing_url: "" }])
  Object.assign(config, { DASHBOARD_URL: "https://example.com/bridges/" })
  expect(Billing.at("/subscription/return")).toBe("https://example.com/bridges/subscription/return")

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

test("the word of another Stripe counts for nothing: the account begins anew, and its bridges wait", async () => {
  const { id, bridge } = await subscriber()
  await Payer.change((await Payer.get(id))!, { mode: "live", customer: "cus_of_another" })
  await look(id)
  expect(await stateOf(id)).toBe("none")
  expect((await leaseOf(bridge)).reason).toBe("billing")
  await payWith(card.pays, (await Checkout.begin(id, "ada@example.com"))!)
  await look(id)
  expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
})

test("an account whose service has tried another Stripe meanwhile finds its subscription again", async () => {
  const { id, bridge } = await subscriber()
  const { customer } = (await Payer.get(id))!
  // As a look with a key of that Stripe would have left it.
  const anew = { mode: "test", customer: "cus_of_test", others: [customer!], said: undefined }
  await Payer.change((await Payer.get(id))!, anew)
  await look(id)
  expect(await stateOf(id)).toBe("trialing")
  expect(await Payer.get(id)).toMatchObject({ customer, others: ["cus_of_test"] })
  expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
})

test("many looks at once, while a payment comes, end with what Stripe says", async () => {
  const { id, bridge } = await subscriber(card.fails)
  await days(id, 24)
  const invoice = stripe.book.invoices[ofStripe(id)[0]!.latest_invoice!]!
  const looks = Array.from({ length: 4 }, () => look(id))
  await Promise.all([...looks, payWith(card.pays, invoice.hosted_invoice_url).then(() => look(id))])
  expect(await stateOf(id)).toBe("active")
  expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
})
