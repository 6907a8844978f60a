import { randomUUID } from "node:crypto"
import { describe, expect, test, vi } from "vitest"
import { lookAtDue } from "#billing/look-at-accounts.ts"
import { lookAtStripe } from "#billing/look-at-stripe.ts"
import { payWith, stripe } from "#test/billing/support/billed.ts"
import { aHint, card, days, isDue, isRunning, ofStripe, stateOf, subscriber } from "./subscriber.ts"

describe("a webhook", () => {
  test("that is forged, too old, or whose bytes were changed is refused, and nothing is looked at", async () => {
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
    expect(await isRunning(bridge)).toBe(true)
    stripe.away(false)
    await lookAtDue()
    expect(await stateOf(id)).toBe("trialing")
    vi.setSystemTime(Date.now() + 3_600_000)
    await lookAtDue()
    expect(await stateOf(id)).toBe("unpaid")
  })
})

test("many looks at once, while a payment comes, end with what Stripe says", async () => {
  const { id, bridge } = await subscriber(card.fails)
  await days(id, 24)
  const invoice = stripe.book.invoices[ofStripe(id)[0]!.latest_invoice!]!
  const looks = Array.from({ length: 4 }, () => lookAtStripe(id))
  await Promise.all([...looks, payWith(card.pays, invoice.hosted_invoice_url).then(() => lookAtStripe(id))])
  expect(await stateOf(id)).toBe("active")
  expect(await isRunning(bridge)).toBe(true)
})
