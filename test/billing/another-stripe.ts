import { expect, test } from "vitest"
import { Checkout } from "#billing/checkout.ts"
import { lookAtStripe } from "#billing/look-at-stripe.ts"
import { Payer } from "#billing/payer.ts"
import { payWith } from "#test/billing/support/billed.ts"
import { card, isRunning, leaseOf, stateOf, subscriber } from "./subscriber.ts"

test("the word of another Stripe counts for nothing: the account begins anew, and its bridges wait", async () => {
  const { id, bridge } = await subscriber()
  await Payer.change((await Payer.get(id))!, { mode: "live", customer: "cus_of_another" })
  await lookAtStripe(id)
  expect(await stateOf(id)).toBe("none")
  expect((await leaseOf(bridge)).stopped).toEqual(["billing"])
  await payWith(card.pays, (await Checkout.begin(id, "ada@example.com"))!)
  await lookAtStripe(id)
  expect(await isRunning(bridge)).toBe(true)
})

test("an account whose service has tried another Stripe meanwhile finds its subscription again", async () => {
  const { id, bridge } = await subscriber()
  const { customer } = (await Payer.get(id))!
  // As a look with a key of that Stripe would have left it.
  const anew = { mode: "test", customer: "cus_of_test", others: [customer!], said: undefined }
  await Payer.change((await Payer.get(id))!, anew)
  await lookAtStripe(id)
  expect(await stateOf(id)).toBe("trialing")
  expect(await Payer.get(id)).toMatchObject({ customer, others: ["cus_of_test"] })
  expect(await isRunning(bridge)).toBe(true)
})
