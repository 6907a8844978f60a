import { idFor, price, type Session, type Subscription } from "./book.ts"
import type { Card } from "./cards.ts"
import { bill } from "./invoices.ts"
import { day, now, period, type World } from "./world.ts"

/** How long a page of Checkout can be paid, in seconds. */
const pageLives = day

/** Makes a page of Checkout. */
export function open(
  world: World,
  session: Omit<Session, "url" | "status" | "subscription" | "created" | "expires_at">,
): Session {
  const created = now(world)
  const opened: Session = {
    ...session,
    status: "open",
    subscription: null,
    url: `${world.url()}/checkout/${session.id}`,
    created,
    expires_at: created + pageLives,
  }
  world.book.sessions[session.id] = opened
  return opened
}

/** A page can be paid no more. */
export function expire({ emit }: World, session: Session): void {
  Object.assign(session, { status: "expired", url: null } satisfies Partial<Session>)
  emit("checkout.session.expired", session)
}

/** The customer completes a page with a card. */
export function complete(world: World, session: Session, card: Card): void {
  const { book, emit } = world
  book.cards[session.customer] = card
  const subscription = subscriptionOf(world, session)
  book.subscriptions[subscription.id] = subscription
  if (subscription.trial_end === null) {
    const invoice = bill(world, subscription, now(world), subscription.items.data[0].quantity)
    Object.assign(invoice, { status: "paid", amount_paid: invoice.amount_due })
  }
  const completed: Partial<Session> = { status: "complete", subscription: subscription.id, url: null }
  Object.assign(session, completed)
  emit("customer.subscription.created", subscription)
  emit("checkout.session.completed", session)
}

/** The subscription that a page sells. */
function subscriptionOf(world: World, session: Session): Subscription {
  const { quantity, trialDays, metadata } = world.book.asked[session.id]!
  const id = idFor("sub")
  const created = now(world)
  const trialEnd = trialDays === undefined ? null : created + trialDays * day
  return {
    id,
    object: "subscription",
    customer: session.customer,
    status: trialEnd === null ? "active" : "trialing",
    metadata,
    created,
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
          current_period_start: created,
          current_period_end: trialEnd ?? created + period,
          price,
        },
      ],
    },
  }
}
