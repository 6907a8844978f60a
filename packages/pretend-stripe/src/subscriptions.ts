import { price, type Subscription } from "./book.ts"
import { bill, collect } from "./invoices.ts"
import { now, period, type World } from "./world.ts"

/**
 * A trial or a period is over: the next period is charged, unless the customer has ended the subscription.
 */
export function nextPeriod(world: World, subscription: Subscription): void {
  if (subscription.cancel_at_period_end) return cancel(world, subscription)
  const { from, quantity } = moveOn(subscription)
  collect(world, subscription, bill(world, subscription, from, quantity))
}

/** A trial ends before its time, and the first period is charged. */
export function endTrial(world: World, subscription: Subscription): void {
  subscription.trial_end = now(world)
  subscription.items.data[0].current_period_end = now(world)
  nextPeriod(world, subscription)
}

/**
 * Adds the next period of a subscription that Stripe has given up: its invoice is a draft, which the customer
 * is not asked to pay.
 */
export function draftInvoice(world: World, subscription: Subscription): void {
  const { from, quantity } = moveOn(subscription)
  bill(world, subscription, from, quantity).status = "draft"
}

function moveOn(subscription: Subscription): { from: number; quantity: number } {
  const [item] = subscription.items.data
  const from = item.current_period_end
  Object.assign(item, { current_period_start: from, current_period_end: from + period })
  return { from, quantity: item.quantity }
}

/** More or fewer numbers for the rest of a period that is paid: charged at once, or with the next invoice. */
export function changeQuantity(
  world: World,
  subscription: Subscription,
  quantity: number,
  how: { isAtOnce: boolean },
): void {
  const { book, emit } = world
  const [item] = subscription.items.data
  const more = quantity - item.quantity
  item.quantity = quantity
  const { current_period_start: from, current_period_end: to } = item
  const share = subscription.status === "trialing" ? 0 : (to - now(world)) / (to - from)
  book.pending[subscription.id] =
    (book.pending[subscription.id] ?? 0) + Math.round(more * price.unit_amount * share)
  emit("customer.subscription.updated", subscription)
  if (how.isAtOnce) collect(world, subscription, bill(world, subscription, now(world), 0))
}

/** The subscription ends now, and its open invoices with it. */
export function cancel(world: World, subscription: Subscription): void {
  const ended: Partial<Subscription> = { status: "canceled", canceled_at: now(world) }
  Object.assign(subscription, ended)
  for (const invoice of Object.values(world.book.invoices))
    if (invoice.parent.subscription_details.subscription === subscription.id && invoice.status === "open")
      invoice.status = "void"
  world.emit("customer.subscription.deleted", subscription)
}

/** The subscription ends with its period, or goes on after all. */
export function setCancelAtEnd({ emit }: World, subscription: Subscription, isWanted: boolean): void {
  subscription.cancel_at_period_end = isWanted
  subscription.cancel_at = isWanted ? subscription.items.data[0].current_period_end : null
  emit("customer.subscription.updated", subscription)
}
