import { describe, expect, test, vi } from "vitest"
import { Checkout } from "#billing/checkout.ts"
import { makeAllDue, lookAtDue } from "#billing/look-at-accounts.ts"
import { lookAtStripe } from "#billing/look-at-stripe.ts"
import { Payer } from "#billing/payer.ts"
import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { payWith } from "#test/billing/support/billed.ts"
import { aCustomer } from "#test/support/service/customer.ts"
import {
  admin,
  card,
  isDue,
  isRunning,
  leaseOf,
  newcomer,
  quantityOf,
  stateOf,
  subscriber,
} from "./subscriber.ts"

describe("the operator's word", () => {
  test("closes a page of Checkout that is open, and taken back from a guest costs them no data", async () => {
    const { account } = await newcomer()
    const page = (await Checkout.begin(account.id, "ada@example.com"))!
    await Account.setSubscription(account.id, "active")
    await lookAtStripe(account.id)
    expect(await payWith(card.pays, page)).toContain("This page is done")
    const { bridge } = await Bridge.create({ accountId: account.id, customerRef: "guest" })
    await Account.endOverride(account.id)
    await lookAtStripe(account.id)
    expect((await leaseOf(bridge)).stopped).toEqual(["billing"])
    vi.setSystemTime(Date.now() + 40 * 86_400_000)
    await lookAtStripe(account.id)
    expect(await Bridge.list(account.id)).toHaveLength(1)
  })

  test("stops the bridges of an account that never was at Stripe, keeps their data, and lets them run again", async () => {
    const { account } = await aCustomer({ subscription: "active" })
    const { bridge } = await Bridge.create({ accountId: account.id, customerRef: "guest" })
    await admin.account.subscription!.run([account.id, "canceled"])
    await lookAtDue()
    expect((await leaseOf(bridge)).stopped).toEqual(["billing"])
    vi.setSystemTime(Date.now() + 40 * 86_400_000)
    await lookAtStripe(account.id)
    expect(await Bridge.list(account.id)).toHaveLength(1)
    await admin.account.subscription!.run([account.id, "active"])
    await lookAtDue()
    expect(await isRunning(bridge)).toBe(true)
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
    await makeAllDue()
    await lookAtDue()
    expect(await stateOf(account.id)).toBe("active")
    expect(await Payer.get(account.id)).toBeUndefined()
  })
})
