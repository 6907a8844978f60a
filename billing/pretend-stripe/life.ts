import {
  type Book,
  type Customer,
  idFor,
  type Invoice,
  type Item,
  price,
  type Session,
  type Subscription,
} from "./book.ts"
import type { Card } from "./cards.ts"

const day = 86_400
/** A month, as this calendar has it. */
const period = 30 * day
/** How long a page of Checkout can be paid. */
const pageLives = day
/** When a payment that failed is tried again, counted from the first attempt. After the last, Stripe gives up. */
const triedAgain = [3, 8, 15].map((days) => days * day)

export type Tell = (type: string, object: object) => void

/** Events at Stripe, by time and by payments: trials end, periods begin, cards are charged. */
export function life(input: { book: Book; url: () => string; tell: Tell }) {
  const { book, tell } = input
  const now = () => Math.floor(Date.now() / 1000) + book.aheadS

  /** Makes everything happen whose time has come, in its order. */
  function catchUp(): void {
    for (;;) {
      const next = [...sessionsToExpire(), ...subscriptionsToMove()].toSorted((a, b) => a.at - b.at)[0]
      if (!next || next.at > now()) return
      next.happens()
    }
  }

  function sessionsToExpire() {
    return Object.values(book.sessions)
      .filter(({ status }) => status === "open")
      .map((session) => ({ at: session.expires_at, happens: () => expire(session) }))
  }

  function subscriptionsToMove() {
    return Object.values(book.subscriptions).flatMap((subscription) => {
      const { status, latest_invoice } = subscription
      const [item] = subscription.items.data
      if (status === "unpaid")
        return [{ at: item.current_period_end, happens: () => draft(subscription, item) }]
      if (status === "trialing" || status === "active")
        return [{ at: item.current_period_end, happens: () => turn(subscription, item) }]
      const invoice = latest_invoice === null ? undefined : book.invoices[latest_invoice]
      if (status !== "past_due" || !invoice) return []
      return [{ at: invoice.next_payment_attempt ?? 0, happens: () => tryAgain(subscription, invoice) }]
    })
  }

  function expire(session: Session): void {
    Object.assign(session, { status: "expired", url: null } satisfies Partial<Session>)
    tell("checkout.session.expired", session)
  }

  /** A trial or a period is over: the next one is charged, unless its customer has ended it. */
  function turn(subscription: Subscription, item: Item): void {
    if (subscription.cancel_at_period_end) return cancel(subscription)
    const from = item.current_period_end
    Object.assign(item, { current_period_start: from, current_period_end: from + period })
    collect(subscription, bill(subscription, from, item.quantity))
  }

  /** An invoice is charged for the first time. */
  function collect(subscription: Subscription, invoice: Invoice): void {
    if (invoice.amount_due === 0 || charge(subscription.customer)) return paid(subscription, invoice)
    Object.assign(invoice, { attempt_count: 1, next_payment_attempt: invoice.created + triedAgain[0]! })
    subscription.status = "past_due"
    tell("invoice.payment_failed", invoice)
    tell("customer.subscription.updated", subscription)
  }

  /** More or fewer numbers for the rest of a period that is paid: charged at once, or with the next invoice. */
  function changeQuantity(subscription: Subscription, quantity: number, how: { isAtOnce: boolean }): void {
    const [item] = subscription.items.data
    const more = quantity - item.quantity
    item.quantity = quantity
    const { current_period_start: from, current_period_end: to } = item
    const share = subscription.status === "trialing" ? 0 : (to - now()) / (to - from)
    book.pending[subscription.id] =
      (book.pending[subscription.id] ?? 0) + Math.round(more * price.unit_amount * share)
    tell("customer.subscription.updated", subscription)
    if (how.isAtOnce) collect(subscription, bill(subscription, now(), 0))
  }

  /** A period of a subscription that Stripe has given up: its invoice is a draft that nobody is asked to pay. */
  function draft(subscription: Subscription, item: Item): void {
    const from = item.current_period_end
    Object.assign(item, { current_period_start: from, current_period_end: from + period })
    bill(subscription, from, item.quantity).status = "draft"
  }

  /** An invoice of this many numbers for a period, and of what is pending. A credit that is left is pending still. */
  function bill(subscription: Subscription, at: number, quantity: number): Invoice {
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
      hosted_invoice_url: `${input.url()}/invoice/${id}`,
      parent: {
        type: "subscription_details",
        subscription_details: { subscription: subscription.id, metadata: subscription.metadata },
      },
    }
    book.invoices[id] = invoice
    subscription.latest_invoice = id
    return invoice
  }

  function tryAgain(subscription: Subscription, invoice: Invoice): void {
    if (charge(subscription.customer)) return paid(subscription, invoice)
    const next = triedAgain[invoice.attempt_count]
    invoice.attempt_count += 1
    invoice.next_payment_attempt = next === undefined ? null : invoice.created + next
    tell("invoice.payment_failed", invoice)
    if (next !== undefined) return
    subscription.status = "unpaid"
    tell("customer.subscription.updated", subscription)
  }

  /** Whether the card on file can be charged while its owner is away. */
  function charge(customer: string): boolean {
    const card = book.cards[customer]
    return card !== undefined && !card.fails && !card.wantsStep
  }

  function paid(subscription: Subscription, invoice: Invoice): void {
    Object.assign(invoice, { status: "paid", amount_paid: invoice.amount_due, next_payment_attempt: null })
    tell("invoice.paid", invoice)
    // The payment of an older invoice revives nothing.
    if (subscription.latest_invoice !== invoice.id) return
    subscription.status = "active"
    tell("customer.subscription.updated", subscription)
  }

  /** Somebody completes a page of Checkout with a card. */
  function complete(session: Session, card: Card): void {
    const { quantity, trialDays, metadata } = book.asked[session.id]!
    book.cards[session.customer] = card
    const id = idFor("sub")
    const trialEnd = trialDays === undefined ? null : now() + trialDays * day
    const subscription: Subscription = {
      id,
      object: "subscription",
      customer: session.customer,
      status: trialEnd === null ? "active" : "trialing",
      metadata,
      created: now(),
      trial_end: trialEnd,
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: null,
      latest_invoice: null,
      items: {
        object: "list",
        has_more: false,
        url: `/v1/subscription_items?subscription=${id}`,
        data: [
          {
            id: idFor("si"),
            object: "subscription_item",
            quantity,
            current_period_start: now(),
            current_period_end: trialEnd ?? now() + period,
            price,
          },
        ],
      },
    }
    book.subscriptions[id] = subscription
    if (trialEnd === null) {
      const invoice = bill(subscription, now(), quantity)
      Object.assign(invoice, { status: "paid", amount_paid: invoice.amount_due })
    }
    Object.assign(session, { status: "complete", subscription: id, url: null } satisfies Partial<Session>)
    tell("customer.subscription.created", subscription)
    tell("checkout.session.completed", session)
  }

  /** Somebody pays one invoice. */
  function payInvoice(invoice: Invoice, card: Card): void {
    book.cards[invoice.customer] = card
    const subscription = book.subscriptions[invoice.parent.subscription_details.subscription]
    if (subscription) paid(subscription, invoice)
  }

  /** Somebody puts another card on file, which pays what is open. */
  function useCard(customer: string, card: Card): void {
    book.cards[customer] = card
    for (const subscription of Object.values(book.subscriptions)) {
      const invoice = subscription.latest_invoice ? book.invoices[subscription.latest_invoice] : undefined
      if (subscription.customer === customer && invoice?.status === "open" && !card.fails)
        paid(subscription, invoice)
    }
  }

  function cancel(subscription: Subscription): void {
    Object.assign(subscription, { status: "canceled", canceled_at: now() } satisfies Partial<Subscription>)
    for (const invoice of Object.values(book.invoices))
      if (invoice.parent.subscription_details.subscription === subscription.id && invoice.status === "open")
        invoice.status = "void"
    tell("customer.subscription.deleted", subscription)
  }

  /** Somebody deletes a customer: their subscriptions end at once, and the pages that they could pay. */
  function remove(customer: Customer): void {
    customer.deleted = true
    const isTheirs = (one: { customer: string }) => one.customer === customer.id
    for (const one of Object.values(book.subscriptions).filter(isTheirs))
      if (one.status !== "canceled") cancel(one)
    for (const one of Object.values(book.sessions).filter(isTheirs)) if (one.status === "open") expire(one)
  }

  /** It ends with its period, or goes on after all. */
  function cancelAtEnd(subscription: Subscription, isWanted: boolean): void {
    subscription.cancel_at_period_end = isWanted
    subscription.cancel_at = isWanted ? subscription.items.data[0].current_period_end : null
    tell("customer.subscription.updated", subscription)
  }

  function open(
    session: Omit<Session, "url" | "status" | "subscription" | "created" | "expires_at">,
  ): Session {
    const opened: Session = {
      ...session,
      status: "open",
      subscription: null,
      url: `${input.url()}/checkout/${session.id}`,
      created: now(),
      expires_at: now() + pageLives,
    }
    book.sessions[session.id] = opened
    return opened
  }

  /** Days pass, and what happens in them happens. */
  function advance(seconds: number): void {
    book.aheadS += seconds
    catchUp()
  }

  return {
    now,
    catchUp,
    advance,
    open,
    expire,
    complete,
    payInvoice,
    useCard,
    changeQuantity,
    cancel,
    cancelAtEnd,
    remove,
  }
}

export type Life = ReturnType<typeof life>
