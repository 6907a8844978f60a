import { expire } from "./checkout.ts"
import { tryAgain } from "./invoices.ts"
import { draftInvoice, nextPeriod } from "./subscriptions.ts"
import { now, type World } from "./world.ts"

/** What happens at a time, Unix seconds. */
interface Coming {
  at: number
  happens: () => void
}

/** Makes everything happen whose time has come, in its order. */
export function catchUp(world: World): void {
  for (;;) {
    const all = [...pagesToExpire(world), ...subscriptionsToMove(world)]
    const next = all.toSorted((a, b) => a.at - b.at)[0]
    if (!next || next.at > now(world)) return
    next.happens()
  }
}

/** This many seconds pass, and what happens in them happens. */
export function advance(world: World, seconds: number): void {
  world.book.aheadS += seconds
  catchUp(world)
}

function pagesToExpire(world: World): Coming[] {
  return Object.values(world.book.sessions)
    .filter(({ status }) => status === "open")
    .map((session) => ({ at: session.expires_at, happens: () => expire(world, session) }))
}

function subscriptionsToMove(world: World): Coming[] {
  return Object.values(world.book.subscriptions).flatMap((subscription) => {
    const { status, latest_invoice } = subscription
    const at = subscription.items.data[0].current_period_end
    if (status === "unpaid") return [{ at, happens: () => draftInvoice(world, subscription) }]
    if (status === "trialing" || status === "active")
      return [{ at, happens: () => nextPeriod(world, subscription) }]
    const invoice = latest_invoice === null ? undefined : world.book.invoices[latest_invoice]
    if (status !== "past_due" || !invoice) return []
    return [{ at: invoice.next_payment_attempt ?? 0, happens: () => tryAgain(world, subscription, invoice) }]
  })
}
