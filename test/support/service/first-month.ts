import { randomUUID } from "node:crypto"
import { expect } from "vitest"
import { Account } from "#core/account/account.ts"
import { look } from "#core/billing/look.ts"
import { Money } from "#core/billing/money.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"

/** The steps that differ between the pretend Stripe and Stripe's own test mode. */
export interface Means {
  /** Puts a card on file that fails when it is charged, and begins the subscription with its trial. */
  subscribe: (accountId: string) => Promise<void>
  /** Days pass for the account. */
  pass: (accountId: string, days: number) => Promise<void>
  /** Pays what is open with a card that works, and is on file from then on. */
  pay: (accountId: string) => Promise<void>
  /** The quantity at Stripe. */
  quantity: (accountId: string) => Promise<number>
  /** Ends the subscription at once. */
  cancel: (accountId: string) => Promise<void>
  /** Deletes the customer, as an operator does on Stripe's own pages. */
  forget: (accountId: string) => Promise<void>
}

/** The states of a first month. */
export const states = ["trialing", "past_due", "active", "active", "canceled"]

/** Trial, two numbers, a card that fails, a payment, one more number, the end: what both Stripes must do alike. @returns the states that came, in order */
export async function firstMonth(means: Means): Promise<string[]> {
  const seenStates: string[] = []
  const { id } = await Account.create({ name: "Test" })
  const seen = async () => {
    await look(id)
    seenStates.push((await Account.get(id))!.subscription)
  }
  await means.subscribe(id)
  await seen()
  const { bridge } = await Bridge.create({ accountId: id, customerRef: randomUUID() })
  const { bridge: second } = await Bridge.create({ accountId: id, customerRef: randomUUID() })
  await look(id)
  expect(await means.quantity(id)).toBe(2)
  await Bridge.remove(second)
  await look(id)
  expect(await means.quantity(id)).toBe(1)

  await means.pass(id, 8)
  await seen()
  expect(Lease.stateOf((await Lease.get(bridge.id))!)).toBe("running")
  expect(await Money.payPage(id)).toMatch(/^https?:/)
  await means.pay(id)
  await seen()

  const { bridge: third } = await Bridge.create({ accountId: id, customerRef: randomUUID() })
  await look(id)
  expect(await means.quantity(id)).toBe(2)
  await seen()
  await Bridge.remove(third)
  await look(id)
  expect(await means.quantity(id)).toBe(1)

  await means.cancel(id)
  await seen()
  expect((await Lease.get(bridge.id))!.reason).toBe("billing")
  await means.forget(id)
  await look(id)
  // Nobody here has seen whether Stripe lists what a deleted customer had.
  expect(["canceled", "none"]).toContain((await Account.get(id))!.subscription)
  expect((await Lease.get(bridge.id))!.reason).toBe("billing")
  return seenStates
}
