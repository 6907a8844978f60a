import { idFor, type Invoice, price, type Subscription } from "./book.ts"
import type { Card } from "./cards.ts"
import { day, type World } from "./world.ts"

/**
 * When a payment that failed is tried again, counted from the first attempt. After the last, Stripe gives up.
 */
const triedAgain = [3, 8, 15].map((days) => days * day)

/**
 * An invoice of this many numbers for a period, and of what is pending. What is left of a credit stays
 * pending.
 */
export function bill(
  { book, url }: World,
  subscription: Subscription,
  at: number,
  quantity: number,
): Invoice {
  const amount = quantity * price.unit_amount + (book.pending[subscription.id] ?? 0)
  book.pending[subscription.id] = Math.min(0, amount)
  const id = idFor("in")
  const invoice: Invoice = {
    id,
    object: "invoice",
    customer: subscription.customer,
    status: "open",
    currency: price.currency,
    amount_due: Math.max(0, amount),
    amount_paid: 0,
    created: at,
    next_payment_attempt: null,
    attempt_count: 0,
    hosted_invoice_url: `${url()}/invoice/${id}`,
    parent: {
      type: "subscription_details",
      subscription_details: { subscription: subscription.id, metadata: subscription.metadata },
    },
  }
  book.invoices[id] = invoice
  subscription.latest_invoice = id
  return invoice
}

/** An invoice is charged for the first time. */
export function collect(world: World, subscription: Subscription, invoice: Invoice): void {
  if (invoice.amount_due === 0 || canCharge(world, subscription.customer))
    return paid(world, subscription, invoice)
  Object.assign(invoice, { attempt_count: 1, next_payment_attempt: invoice.created + triedAgain[0]! })
  subscription.status = "past_due"
  world.emit("invoice.payment_failed", invoice)
  world.emit("customer.subscription.updated", subscription)
}

/** An invoice that could not be charged is tried again. */
export function tryAgain(world: World, subscription: Subscription, invoice: Invoice): void {
  if (canCharge(world, subscription.customer)) return paid(world, subscription, invoice)
  const next = triedAgain[invoice.attempt_count]
  invoice.attempt_count += 1
  invoice.next_payment_attempt = next === undefined ? null : invoice.created + next
  world.emit("invoice.payment_failed", invoice)
  if (next !== undefined) return
  subscription.status = "unpaid"
  world.emit("customer.subscription.updated", subscription)
}

/** Whether the card on file can be charged while its owner is away. */
function canCharge({ book }: World, customer: string): boolean {
  const card = book.cards[customer]
  return card !== undefined && !card.fails && !card.wantsStep
}

function paid({ emit }: World, subscription: Subscription, invoice: Invoice): void {
  Object.assign(invoice, { status: "paid", amount_paid: invoice.amount_due, next_payment_attempt: null })
  emit("invoice.paid", invoice)
  // The payment of an older invoice revives nothing.
  if (subscription.latest_invoice !== invoice.id) return
  subscription.status = "active"
  emit("customer.subscription.updated", subscription)
}

/** The customer pays one invoice. */
export function payInvoice(world: World, invoice: Invoice, card: Card): void {
  world.book.cards[invoice.customer] = card
  const subscription = world.book.subscriptions[invoice.parent.subscription_details.subscription]
  if (subscription) paid(world, subscription, invoice)
}

/** The customer puts another card on file, which pays what is open. */
export function useCard(world: World, customer: string, card: Card): void {
  const { book } = world
  book.cards[customer] = card
  for (const subscription of Object.values(book.subscriptions)) {
    const invoice = subscription.latest_invoice ? book.invoices[subscription.latest_invoice] : undefined
    if (subscription.customer === customer && invoice?.status === "open" && !card.fails)
      paid(world, subscription, invoice)
  }
}
