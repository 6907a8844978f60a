import "#test/billing/support/billed.ts"
import { describe, expect, test, vi } from "vitest"
import { endBilling } from "#billing/end-billing.ts"
import { lookAtStripe } from "#billing/look-at-stripe.ts"
import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import { admin, card, days, isRunning, leaseOf, stateOf, subscriber } from "./subscriber.ts"

describe("billing that is turned off", () => {
  test("lets the bridges run that waited for a payment, and on again Stripe's word counts from that day", async () => {
    const { id, bridge, post } = await subscriber(card.fails)
    const { bridge: suspended } = await Bridge.create({ accountId: id, customerRef: "suspended" })
    await Lease.stop(suspended.id, "suspended")
    await days(id, 24)
    expect((await leaseOf(bridge)).stopped).toEqual(["billing"])
    await expect(admin.billing.end!.run([])).rejects.toThrow("without BILLING first")
    // The command's own refusal is of this process's settings: what it does is the same as at a start without
    // them.
    expect((await endBilling()).charged).toBeGreaterThan(0)
    expect(await stateOf(id)).toBe("active")
    expect(await isRunning(bridge)).toBe(true)
    expect(Lease.stateOf(await leaseOf(suspended))).toBe("suspended")
    expect((await post("/api/instances", { customer_ref: "third" })).status).toBe(201)

    vi.setSystemTime(Date.now() + 40 * 86_400_000)
    await lookAtStripe(id)
    expect(await stateOf(id)).toBe("unpaid")
    expect((await leaseOf(bridge)).stopped).toEqual(["billing"])
    expect(await Bridge.list(id)).toHaveLength(3)
  })

  test("leaves the operator's word as it is", async () => {
    const { id } = await subscriber()
    await Account.setSubscription(id, "none")
    await endBilling()
    expect(await stateOf(id)).toBe("none")
  })
})
