import "#test/support/store.ts"
import { expect, test } from "vitest"
import { billing } from "#admin/billing.ts"
import { Due } from "#billing/due-for-a-look.ts"
import { Payer } from "#billing/payer.ts"
import { findOrOpenAccount } from "#core/account/account-at-sign-in.ts"
import { Account } from "#core/account/account.ts"
import { removeEmpty } from "#core/account/remove-empty.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import { startBilling } from "#one-machine/billing.ts"
import { Settings } from "#one-machine/service/settings.ts"
import { aVisitor } from "#test/support/service/visitor.ts"
import "./support/plugged-in.ts"

test("an account that owed something when billing was turned off may link numbers again, and they run", async () => {
  const { accountId } = await findOrOpenAccount("grace@example.com")
  const { bridge } = await owing(accountId)
  const visitor = aVisitor()
  await visitor.post(`/sign-in/link/${await SignIn.newLinkToPrint("grace@example.com")}`)
  expect(await billing.end!.run([])).toEqual([
    { accounts_freed: 1, bridges_woken: 1, still_charged_at_stripe: 1 },
  ])
  expect(Lease.stateOf((await Lease.get(bridge.id))!)).toBe("running")
  await Lease.stop(bridge.id, "billing")
  // As `npm start` does without BILLING.
  const { start } = await startBilling(Settings.parse({}), "http://127.0.0.1", [])
  await start()
  expect(Lease.stateOf((await Lease.get(bridge.id))!)).toBe("running")
  const made = await visitor.post("/new-number", { customer_ref: "second", webhook_url: "" })
  expect(made.headers.get("location")).toBe("/numbers/second/connect")
  expect(await billing.end!.run([])).toMatchObject([{ accounts_freed: 0, bridges_woken: 0 }])
})

/** As billing left it: a bridge that is paused, and a subscription that Stripe still tries to collect. */
async function owing(accountId: string) {
  await Account.setSubscription(accountId, "active")
  const made = await Bridge.create({ accountId, customerRef: "first" })
  await Account.endOverride(accountId)
  const said = { id: "sub_1", status: "unpaid", quantity: 1, periodEnd: 1 } as const
  await Payer.change(await Payer.getOrBlank(accountId), { customer: "cus_1", said, stoppedAt: 1 })
  await Lease.stop(made.bridge.id, "billing")
  return made
}

test("where nothing is paid, no page, route or word is of billing, and every newcomer may link numbers", async () => {
  const { accountId } = await findOrOpenAccount("ada@example.com")
  const visitor = aVisitor()
  await visitor.post(`/sign-in/link/${await SignIn.newLinkToPrint("ada@example.com")}`)
  for (const path of ["/subscription", "/subscription/return"])
    expect([path, (await visitor.get(path)).status]).toEqual([path, 404])
  for (const path of ["/subscription/begin", "/subscription/pay", "/billing/webhook"])
    expect([path, (await visitor.post(path)).status]).toEqual([path, 404])
  const made = await visitor.post("/new-number", { customer_ref: "shop", webhook_url: "" })
  expect(made.headers.get("location")).toBe("/numbers/shop/connect")
  for (const path of ["/", "/numbers", "/account", "/numbers/shop"]) {
    const answer = await visitor.get(path)
    expect(await answer.text()).not.toContain("/subscription")
    expect(answer.headers.get("content-security-policy")).toContain("form-action 'self';")
  }
  await Bridge.remove(await Bridge.get(accountId, "shop"))
  expect(await removeEmpty(accountId)).toBe(true)
  expect(await Due.list()).toEqual([])
})
