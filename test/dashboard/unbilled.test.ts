import "#test/support/store.ts"
import { expect, test } from "vitest"
import { Account } from "#core/account/account.ts"
import { join } from "#core/account/join.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { Due } from "#core/billing/due.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { aVisitor } from "#test/support/service/visitor.ts"

test("where nothing is paid there is no page, no route and no word of billing, and whoever signs up may link numbers", async () => {
  const { accountId } = await join("ada@example.com")
  const visitor = aVisitor()
  await visitor.post(`/sign-in/link/${await SignIn.print("ada@example.com")}`)
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
  expect(await Account.remove(accountId)).toBe(true)
  expect(await Due.list()).toEqual([])
})
