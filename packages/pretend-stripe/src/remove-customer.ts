import type { Customer } from "./book.ts"
import { expire } from "./checkout.ts"
import { cancel } from "./subscriptions.ts"
import type { World } from "./world.ts"

/**
 * Deletes a customer, as the account's owner does by hand at Stripe. The customer's subscriptions end at
 * once, and so do the pages that the customer could pay.
 */
export function remove(world: World, customer: Customer): void {
  customer.deleted = true
  const isTheirs = (one: { customer: string }) => one.customer === customer.id
  for (const one of Object.values(world.book.subscriptions).filter(isTheirs))
    if (one.status !== "canceled") cancel(world, one)
  for (const one of Object.values(world.book.sessions).filter(isTheirs))
    if (one.status === "open") expire(world, one)
}
