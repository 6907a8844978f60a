import { describe, expect, onTestFinished, test } from "vitest"
import { Checkout } from "#billing/checkout.ts"
import { lookAtStripe } from "#billing/look-at-stripe.ts"
import { Payer } from "#billing/payer.ts"
import { payPage, portalPage } from "#billing/portal-and-invoice-pages.ts"
import { config } from "#core/platform/config.ts"
import { payWith, stripe } from "#test/billing/support/billed.ts"
import { card, deleteAtStripe, isRunning, leaseOf, stateOf, subscriber, subscribes } from "./subscriber.ts"

describe("a customer", () => {
  test("who was deleted at Stripe by hand has ended: told, paused, and able to subscribe anew", async () => {
    const { id, bridge } = await subscriber()
    await deleteAtStripe(id)
    expect(await payPage(id)).toBeUndefined()
    expect(await stateOf(id)).toBe("canceled")
    expect((await leaseOf(bridge)).stopped).toEqual(["billing"])
    const page = await Checkout.begin(id, "ada@example.com")
    expect(await Checkout.begin(id, "ada@example.com")).toBe(page)
    await payWith(card.pays, page!)
    await lookAtStripe(id)
    expect(await stateOf(id)).toBe("active")
    expect(await isRunning(bridge)).toBe(true)
  })

  test("whom Stripe does not know yet has no subscription: nothing runs unpaid, and nothing is deleted", async () => {
    const { id, bridge } = await subscriber()
    const { customer } = (await Payer.get(id))!
    const known = stripe.book.customers[customer!]!
    delete stripe.book.customers[customer!]
    expect(await portalPage(id)).toBeUndefined()
    expect(await stateOf(id)).toBe("none")
    expect((await leaseOf(bridge)).stopped).toEqual(["billing"])
    expect((await Payer.get(id))!.stoppedAt).toBeUndefined()
    stripe.book.customers[customer!] = known
    await lookAtStripe(id)
    expect(await stateOf(id)).toBe("trialing")
    expect(await isRunning(bridge)).toBe(true)
  })

  test("whom live Stripe does not know even as deleted stays as they are: the key may be of another account", async () => {
    const { BILLING, STRIPE_SECRET_KEY } = config
    onTestFinished(() => void Object.assign(config, { BILLING, STRIPE_SECRET_KEY }))
    Object.assign(config, { BILLING: "stripe", STRIPE_SECRET_KEY: "rk_live_of_the_operator" })
    const { id, bridge } = await subscriber()
    const { customer } = (await Payer.get(id))!
    const known = stripe.book.customers[customer!]!
    delete stripe.book.customers[customer!]
    await expect(lookAtStripe(id)).rejects.toMatchObject({ code: "resource_missing" })
    expect(await stateOf(id)).toBe("trialing")
    expect(await isRunning(bridge)).toBe(true)
    stripe.book.customers[customer!] = known
    await deleteAtStripe(id)
    await lookAtStripe(id)
    expect(await stateOf(id)).toBe("canceled")
  })

  test("whom Stripe never knows again subscribes as a new one, without a second free trial", async () => {
    const { id } = await subscriber()
    stripe.book.customers = {}
    await subscribes(id)
    expect(await stateOf(id)).toBe("active")
  })
})
