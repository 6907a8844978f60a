import { randomUUID } from "node:crypto"
import { expect } from "vitest"
import { Checkout } from "#billing/checkout.ts"
import { lookAtStripe } from "#billing/look-at-stripe.ts"
import { Payer } from "#billing/payer.ts"
import { payPage } from "#billing/portal-and-invoice-pages.ts"
import { nextCharge } from "#billing/price-and-bills.ts"
import { stripe } from "#billing/stripe.ts"
import { Account } from "#core/account/account.ts"
import { removeEmpty } from "#core/account/remove-empty.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"

/**
 * Acts of people on Stripe's pages, and of time. They differ between the pretend Stripe and Stripe's own test
 * mode.
 */
export interface Means {
  /**
   * Puts a card on file, and begins a subscription for one number: with the free trial, unless the account
   * had it.
   */
  subscribe: (accountId: string, card: Card) => Promise<void>
  /** A second subscription of the same customer, as an operator makes it by hand at Stripe. */
  subscribeAgain: (accountId: string) => Promise<void>
  /** Days pass for the account. */
  pass: (accountId: string, days: number) => Promise<void>
  /** The card on file is another one. */
  putCard: (accountId: string, card: Card) => Promise<void>
  /** Pays what is open with a card that works, and is on file from then on. */
  pay: (accountId: string) => Promise<void>
  /** The subscription ends with its period. */
  cancelAtEnd: (accountId: string) => Promise<void>
  /** The amounts that the account has paid, in cents, the first one first. */
  paid: (accountId: string) => Promise<number[]>
}

/** `fails` when it is charged. */
export type Card = "pays" | "fails"

/** An account that Stripe has not heard of. */
async function newcomer(): Promise<string> {
  return (await Account.create({ name: "Test" })).id
}

/** An account that has put a card on file and linked a number. */
async function subscriber(means: Means, card: Card) {
  const id = await newcomer()
  await means.subscribe(id, card)
  await lookAtStripe(id)
  return { id, bridge: await oneMore(id) }
}

async function oneMore(accountId: string): Promise<Bridge.Info> {
  const { bridge } = await Bridge.create({ accountId, customerRef: randomUUID() })
  await lookAtStripe(accountId)
  return bridge
}

async function oneLess(bridge: Bridge.Info): Promise<void> {
  await Bridge.remove(bridge)
  await lookAtStripe(bridge.accountId)
}

/** The account's state after a look. */
async function stateOf(accountId: string): Promise<string> {
  await lookAtStripe(accountId)
  return (await Account.get(accountId))!.subscription
}

async function leaseOf(bridge: Bridge.Info): Promise<Lease.Info> {
  return (await Lease.get(bridge.id))!
}

/** The account's subscriptions at Stripe, the oldest first. */
async function atStripe(accountId: string) {
  const { subscriptions } = await stripe()
  const { customer } = (await Payer.get(accountId))!
  const { data } = await subscriptions.list({ customer: customer!, status: "all", limit: 100 })
  return data.toReversed()
}

async function quantityOf(accountId: string): Promise<number> {
  const [own] = (await atStripe(accountId)).filter(({ status }) => status !== "canceled")
  return own?.items.data[0]?.quantity ?? 0
}

/** The scenarios that end alike at both Stripes, by name. */
export const scenarios: Record<string, (means: Means) => Promise<void>> = {
  "a first month: free trial, a card that fails, a payment, the end, and a customer who is deleted": async (
    means,
  ) => {
    const { id, bridge } = await subscriber(means, "fails")
    expect(await stateOf(id)).toBe("trialing")
    await means.pass(id, 8)
    expect(await stateOf(id)).toBe("past_due")
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
    expect(await payPage(id)).toMatch(/^https?:/)
    await means.pay(id)
    expect(await stateOf(id)).toBe("active")
    const { subscriptions, customers } = await stripe()
    await subscriptions.cancel((await Payer.get(id))!.said!.id)
    expect(await stateOf(id)).toBe("canceled")
    expect((await leaseOf(bridge)).stopped).toEqual(["billing"])
    await customers.del((await Payer.get(id))!.customer!)
    // It is not known whether Stripe lists what a deleted customer had.
    expect(["canceled", "none"]).toContain(await stateOf(id))
    expect((await leaseOf(bridge)).stopped).toEqual(["billing"])
  },

  "the quantity follows the numbers up, down and up again": async (means) => {
    const { id } = await subscriber(means, "pays")
    for (let times = 0; times < 2; times++) {
      const second = await oneMore(id)
      expect(await quantityOf(id)).toBe(2)
      await oneLess(second)
      expect(await quantityOf(id)).toBe(1)
    }
  },

  "a number that is added in a month is charged at once for its rest, and one that goes is a credit": async (
    means,
  ) => {
    const { id } = await subscriber(means, "pays")
    await means.pass(id, 8)
    expect(await stateOf(id)).toBe("active")
    const [month = 0, ...others] = await means.paid(id)
    expect([month, others]).toEqual([900, []])
    await means.pass(id, 9)
    const second = await oneMore(id)
    const [, rest = 0, ...more] = await means.paid(id)
    expect([rest > 0 && rest < month, more]).toEqual([true, []])
    await oneLess(second)
    expect(await means.paid(id)).toEqual([month, rest])
    expect((await nextCharge((await Payer.get(id))!))!.cents).toBeLessThan(month)
  },

  "a number whose charge fails makes its account past due, and paying mends that": async (means) => {
    const { id, bridge } = await subscriber(means, "pays")
    await means.pass(id, 8)
    expect(await stateOf(id)).toBe("active")
    await means.putCard(id, "fails")
    await oneMore(id)
    expect(await stateOf(id)).toBe("past_due")
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
    await means.pay(id)
    expect(await stateOf(id)).toBe("active")
  },

  "a subscription that ends with its free trial stops the number, and the next one has no free trial": async (
    means,
  ) => {
    const { id, bridge } = await subscriber(means, "pays")
    await means.cancelAtEnd(id)
    await means.pass(id, 8)
    expect(await stateOf(id)).toBe("canceled")
    expect((await leaseOf(bridge)).stopped).toEqual(["billing"])
    await means.subscribe(id, "pays")
    expect(await stateOf(id)).toBe("active")
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
  },

  "a second subscription is canceled, and the first one stays": async (means) => {
    const { id } = await subscriber(means, "pays")
    const [first] = await atStripe(id)
    await means.subscribeAgain(id)
    expect(await stateOf(id)).toBe("trialing")
    const living = (await atStripe(id)).filter(({ status }) => status !== "canceled")
    expect(living.map((one) => one.id)).toEqual([first!.id])
  },

  "the operator's word stands against Stripe's until it is taken back": async (means) => {
    const { id, bridge } = await subscriber(means, "fails")
    await Account.setSubscription(id, "active")
    await means.pass(id, 8)
    expect(await stateOf(id)).toBe("active")
    await Account.endOverride(id)
    expect(await stateOf(id)).toBe("past_due")
    expect(Lease.stateOf(await leaseOf(bridge))).toBe("running")
  },

  "a subscription ends with its account": async (means) => {
    const { id, bridge } = await subscriber(means, "pays")
    const { subscriptions } = await stripe()
    const { said } = (await Payer.get(id))!
    await Bridge.remove(bridge)
    expect(await removeEmpty(id)).toBe(true)
    await lookAtStripe(id)
    expect((await subscriptions.retrieve(said!.id)).status).toBe("canceled")
  },

  "two tabs get one page of Checkout, and another one when its customer was deleted": async () => {
    const id = await newcomer()
    const begin = () => Checkout.begin(id, "ada@example.com")
    const [one, other] = await Promise.all([begin(), begin()])
    expect([one, other]).toEqual([expect.stringMatching(/^https?:/), one])
    await (await stripe()).customers.del((await Payer.get(id))!.customer!)
    const next = await begin()
    expect([next === one, next]).toEqual([false, expect.stringMatching(/^https?:/)])
    expect(await stateOf(id)).toBe("none")
    await removeEmpty(id)
    await lookAtStripe(id)
  },

  "a page of Checkout is closed with its account": async () => {
    const id = await newcomer()
    await Checkout.begin(id, "ada@example.com")
    const { checkout } = (await Payer.get(id))!
    await removeEmpty(id)
    await lookAtStripe(id)
    const { sessions } = (await stripe()).checkout
    expect((await sessions.retrieve(checkout!)).status).toBe("expired")
  },
}
