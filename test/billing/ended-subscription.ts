import { describe, expect, test, vi } from "vitest"
import { Checkout } from "#billing/checkout.ts"
import { lookAtDue } from "#billing/look-at-accounts.ts"
import { lookAtStripe } from "#billing/look-at-stripe.ts"
import { Payer } from "#billing/payer.ts"
import { removeEmpty } from "#core/account/remove-empty.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { payWith, stripe } from "#test/billing/support/billed.ts"
import {
  addSecond,
  aHint,
  card,
  days,
  isDue,
  isRunning,
  newcomer,
  ofStripe,
  rowOf,
  stateOf,
  subscriber,
  unpaidSubscriber,
} from "./subscriber.ts"

describe("a subscription that ends", () => {
  test("begins again for as many numbers as wait for it", async () => {
    const { id } = await subscriber()
    await addSecond(id)
    ofStripe(id)[0]!.cancel_at_period_end = true
    await days(id, 8)
    await payWith(card.pays, (await Checkout.begin(id, "ada@example.com"))!)
    expect(ofStripe(id)[1]!.items.data[0].quantity).toBe(2)
  })

  test("with its account leaves no page of Checkout that could still be paid", async () => {
    const { account } = await newcomer()
    const page = (await Checkout.begin(account.id, "ada@example.com"))!
    await removeEmpty(account.id)
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
    await removeEmpty(id)
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
    expect(await removeEmpty(id)).toBe(true)
    await lookAtDue()
    expect(ofStripe(id)[0]!.status).toBe("trialing")
    stripe.away(false)
    vi.setSystemTime(Date.now() + 31_000)
    await lookAtDue()
    expect(ofStripe(id)[0]!.status).toBe("canceled")
    expect(await isDue(id)).toBe(false)
  })

  test("by a second one that is paid, while the first is not, leaves the one that is paid", async () => {
    const { id, bridge } = await unpaidSubscriber()
    const [first] = ofStripe(id)
    stripe.book.subscriptions.sub_paid = { ...structuredClone(first!), id: "sub_paid", status: "active" }
    await lookAtStripe(id)
    expect(ofStripe(id).map(({ status }) => status)).toEqual(["canceled", "active"])
    expect(await stateOf(id)).toBe("active")
    expect(await isRunning(bridge)).toBe(true)
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
    await lookAtStripe(id)
    expect(await stateOf(id)).toBe("trialing")
    expect(await Payer.get(id)).toMatchObject({ customer: "cus_other", others: [first!.customer] })
  })
})
