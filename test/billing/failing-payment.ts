import { describe, expect, test, vi } from "vitest"
import { Checkout } from "#billing/checkout.ts"
import { lookAtStripe } from "#billing/look-at-stripe.ts"
import { payPage } from "#billing/portal-and-invoice-pages.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import { payWith, stripe } from "#test/billing/support/billed.ts"
import { json } from "#test/support/service/customer.ts"
import {
  admin,
  card,
  days,
  isRunning,
  latestInvoice,
  leaseOf,
  newcomer,
  pays,
  putOnFile,
  stateOf,
  subscriber,
  unpaidSubscriber,
} from "./subscriber.ts"

describe("a payment that fails", () => {
  test("stops no bridge while Stripe still tries, then all of them; and paying lets them run again", async () => {
    const { id, bridge, post, call } = await subscriber(card.fails)
    await days(id, 8)
    expect(await stateOf(id)).toBe("past_due")
    expect(await isRunning(bridge)).toBe(true)
    const refused = await post("/api/instances", { customer_ref: "second" })
    expect([refused.status, await json(refused)]).toMatchObject([402, { code: "payment_required" }])

    await days(id, 16)
    expect(await stateOf(id)).toBe("unpaid")
    expect(await leaseOf(bridge)).toMatchObject({ host: Lease.STOPPED, stopped: ["billing"] })
    expect((await post("/api/instances", { customer_ref: "second" })).status).toBe(402)
    const asked = await call("GET", "/api/instances/first/proxy/status")
    expect([asked.status, await json(asked)]).toMatchObject([409, { code: "bridge_paused" }])
    expect(await json(call("GET", "/api/instances/first"))).toMatchObject({ paused_reason: "billing" })

    const invoice = latestInvoice(id)
    expect(await payWith(card.fails, invoice.hosted_invoice_url)).toContain("declined")
    await payWith(card.pays, invoice.hosted_invoice_url)
    await lookAtStripe(id)
    expect(await stateOf(id)).toBe("active")
    expect(await isRunning(bridge)).toBe(true)
  })

  test("for want of a step leaves the bridge running until the step is made", async () => {
    stripe.webhooks.hold()
    const { account } = await newcomer()
    const page = (await Checkout.begin(account.id, "ada@example.com"))!
    await payWith(card.wantsStep, page, { step: "done" })
    await days(account.id, 8)
    expect(await stateOf(account.id)).toBe("past_due")
    const invoice = latestInvoice(account.id)
    await payWith(card.wantsStep, invoice.hosted_invoice_url, { step: "done" })
    await lookAtStripe(account.id)
    expect(await stateOf(account.id)).toBe("active")
  })

  test("wakes no bridge that its operator stopped, and none that slept, which no call wakes unpaid", async () => {
    const { id, bridge, call } = await subscriber(card.fails)
    const { bridge: slept } = await Bridge.create({ accountId: id, customerRef: "slept" })
    await Lease.stop(bridge.id, "operator")
    await Lease.stop(slept.id, "idle")
    await days(id, 24)
    expect((await call("GET", "/api/instances/slept/proxy/status")).status).toBe(409)
    await payWith(card.pays, latestInvoice(id).hosted_invoice_url)
    await lookAtStripe(id)
    expect((await leaseOf(bridge)).stopped).toEqual(["operator"])
    expect((await leaseOf(slept)).stopped).toEqual(["idle"])
  })

  test("is not hidden by a pause of the operator's, which outlasts it", async () => {
    const { id, bridge } = await unpaidSubscriber()
    await admin.bridge.pause!.run([bridge.id])
    expect(Lease.whyStopped(await leaseOf(bridge))).toBe("billing")
    await pays(id)
    expect((await leaseOf(bridge)).stopped).toEqual(["operator"])
  })

  test("has cost the bridges only after thirty days, and never those that are paid again", async () => {
    const { id } = await unpaidSubscriber()
    vi.setSystemTime(Date.now() + 29 * 86_400_000)
    await lookAtStripe(id)
    expect(await Bridge.list(id)).toHaveLength(1)
    vi.setSystemTime(Date.now() + 2 * 86_400_000)
    await lookAtStripe(id)
    expect(await Bridge.list(id)).toHaveLength(0)

    vi.useRealTimers()
    const { id: paying } = await unpaidSubscriber()
    vi.setSystemTime(Date.now() + 29 * 86_400_000)
    await pays(paying)
    vi.setSystemTime(Date.now() + 2 * 86_400_000)
    await lookAtStripe(paying)
    expect(await Bridge.list(paying)).toHaveLength(1)
    expect(await stateOf(paying)).toBe("active")
  })

  test("after months is mended by paying the latest invoice, which Stripe leaves a draft", async () => {
    const { id, bridge } = await unpaidSubscriber()
    const old = latestInvoice(id).hosted_invoice_url
    await days(id, 30)
    expect(latestInvoice(id).status).toBe("draft")
    await payWith(card.pays, old)
    await lookAtStripe(id)
    expect(await stateOf(id)).toBe("unpaid")
    // Two tabs ask for its page at once.
    const [page, same] = await Promise.all([payPage(id), payPage(id)])
    expect(page).toBe(same)
    await payWith(card.pays, page!)
    await lookAtStripe(id)
    expect(await stateOf(id)).toBe("active")
    expect(await isRunning(bridge)).toBe(true)
  })

  test("and that Stripe leaves past due stops bridges after sixty days, or three if nothing was ever paid", async () => {
    const { id, bridge } = await subscriber()
    await days(id, 8)
    putOnFile(id, card.fails)
    await days(id, 31)
    const { id: never, bridge: theirs } = await subscriber(card.fails)
    await days(never, 8)
    const states = async () => [await stateOf(id), await stateOf(never)]
    for (const account of [id, never]) latestInvoice(account).next_payment_attempt = Number.MAX_SAFE_INTEGER
    const inDays = async (count: number) => {
      vi.setSystemTime(Date.now() + count * 86_400_000)
      for (const account of [id, never]) await lookAtStripe(account)
      return await states()
    }
    expect(await states()).toEqual(["past_due", "past_due"])
    expect(await inDays(2)).toEqual(["past_due", "past_due"])
    expect(await inDays(2)).toEqual(["past_due", "unpaid"])
    expect([await isRunning(bridge), await isRunning(theirs)]).toEqual([true, false])
    expect(await inDays(55)).toEqual(["past_due", "unpaid"])
    expect(await inDays(2)).toEqual(["unpaid", "unpaid"])
    expect((await leaseOf(bridge)).stopped).toEqual(["billing"])
  })
})
