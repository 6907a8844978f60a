import { describe, expect, test, vi } from "vitest"
import { lookAtDue } from "#billing/look-at-accounts.ts"
import { lookAtStripe } from "#billing/look-at-stripe.ts"
import { Payer } from "#billing/payer.ts"
import { priceOf, nextCharge } from "#billing/price-and-bills.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import { stripe } from "#test/billing/support/billed.ts"
import {
  addSecond,
  days,
  isDue,
  isRunning,
  leaseOf,
  newcomer,
  ofStripe,
  paid,
  pays,
  quantityOf,
  stateOf,
  subscriber,
} from "./subscriber.ts"

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
    const bridge = await addSecond(id)
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

  test("that grows is charged at once for the period's rest, and credited if it shrinks: no day costs twice", async () => {
    const { id, bridge } = await subscriber()
    await days(id, 7)
    expect(paid(id)).toEqual([900])
    await days(id, 10)
    stripe.loseAnswers(3)
    const second = await addSecond(id)
    await lookAtDue()
    await lookAtStripe(id)
    expect(quantityOf(id)).toBe(2)
    expect(paid(id)).toEqual([900, 600])
    expect(await stateOf(id)).toBe("active")

    await days(id, 5)
    await Bridge.remove(second)
    await lookAtStripe(id)
    expect(paid(id)).toEqual([900, 600])
    expect((await nextCharge((await Payer.get(id))!))!.cents).toBe(450)
    await days(id, 15)
    // One number for sixty days, and another for five.
    expect(paid(id).reduce((sum, one) => sum + one)).toBe(1800 + 150)
    expect(await isRunning(bridge)).toBe(true)
  })

  test("that grows while its payment fails makes the account past due, and the page leads to what is open", async () => {
    const { id, bridge } = await subscriber()
    await days(id, 10)
    const { customer } = (await Payer.get(id))!
    stripe.book.cards[customer!] = { last4: "0341", fails: true, wantsStep: false }
    await addSecond(id)
    await lookAtStripe(id)
    await lookAtStripe(id)
    expect(await stateOf(id)).toBe("past_due")
    expect(await isRunning(bridge)).toBe(true)
    // Fewer numbers make no invoice of their own, which would stand before the one that is open.
    await Bridge.remove(await Bridge.get(id, "second"))
    await lookAtStripe(id)
    await pays(id)
    expect(await stateOf(id)).toBe("active")
  })

  test("that cannot be changed stops no bridge, and stays due", async () => {
    const { id, bridge } = await subscriber()
    await addSecond(id)
    stripe.away(true)
    await lookAtDue()
    expect(await isRunning(bridge)).toBe(true)
    expect((await leaseOf(await Bridge.get(id, "second"))).stopped).toEqual([])
    stripe.away(false)
    vi.setSystemTime(Date.now() + 31_000)
    await lookAtDue()
    expect(quantityOf(id)).toBe(2)
  })
})

test("the price that an account sees is its own, which the operator's next one leaves as it is", async () => {
  const { id } = await subscriber()
  const [item] = ofStripe(id)[0]!.items.data
  item.price = { ...item.price, unit_amount: 700 }
  expect(await priceOf((await Payer.get(id))!)).toMatchObject({ cents: 700, currency: "eur" })
  const { account } = await newcomer()
  expect(await priceOf(await Payer.getOrBlank(account.id))).toEqual({
    cents: 900,
    currency: "eur",
    interval: "month",
    count: 1,
  })
})
