import type Stripe from "stripe"
import { Account } from "../account/account.ts"
import { now } from "../platform/clock.ts"
import { log } from "../platform/log.ts"
import { transact } from "../store/store.ts"
import { letBridges } from "./bridges.ts"
import { Payer } from "./payer.ts"
import { settleQuantity } from "./quantity.ts"
import { stripe } from "./stripe.ts"

/** Two looks at one account that meet begin again, so this many are enough for any number of webhooks at once. */
const tries = 20

/**
 * Asks Stripe what an account has, writes that down, and lets its bridges and its quantity follow. Each write is refused
 * if another came after this look had begun to ask: so what stands in the end is what Stripe said last, in whatever order
 * the webhooks came.
 * @throws the SDK's errors when Stripe cannot be asked: then nothing changes
 */
export async function look(accountId: string): Promise<void> {
  for (let i = 0; i < tries; i++) if (await hasLooked(accountId)) return
  throw new Error("the subscription kept changing while it was looked at")
}

/** @returns false when somebody else has written meanwhile: what was seen may be old. */
async function hasLooked(accountId: string): Promise<boolean> {
  const payer = await Payer.get(accountId)
  if (!payer) return true
  const account = await Account.get(accountId)
  const subscriptions = await subscriptionsOf(payer)
  if (!account) return await ended(payer, subscriptions)

  const [own, ...others] = subscriptions
  for (const other of others) await cancelSecond(accountId, other)
  const said = own && saidOf(own)
  const subscription = account.isByHand ? account.subscription : stateOf(said?.status)
  const mayRun = account.isByHand ? !isOver(subscription) : !isOver(subscription) && subscription !== "none"
  const seen: Payer.Info = {
    ...payer,
    said,
    hadTrial: payer.hadTrial || said?.trialEnd !== undefined,
    stoppedAt: mayRun ? undefined : (payer.stoppedAt ?? now()),
  }
  const refused = await transact([Payer.write(seen), Account.paidAs(account, subscription)])
  if (refused) return false
  if (subscription !== account.subscription)
    log.info({ accountId, was: account.subscription, subscription }, "subscription changed")

  const written = { ...seen, version: payer.version + 1 }
  await letBridges(written, mayRun)
  // Otherwise an older look could stop what a newer one, which saw the payment, has let run.
  if ((await Payer.get(accountId))?.version !== written.version) return false
  return own ? await settleQuantity(written, own) : true
}

/** The account's subscriptions at Stripe, first the one that counts: one that lives, else the latest. */
async function subscriptionsOf(payer: Payer.Info): Promise<Stripe.Subscription[]> {
  if (payer.customer === undefined) return []
  const client = await stripe()
  const { data } = await client.subscriptions.list({ customer: payer.customer, status: "all", limit: 100 })
  const own = data.filter(({ metadata }) => metadata.account_id === payer.accountId)
  const living = own.filter(({ status }) => !isEnded(status))
  const known = living.find(({ id }) => id === payer.said?.id)
  if (living.length > 0) return [...new Set(known ? [known, ...living] : living.toSorted(byAge))]
  return own.toSorted(byAge).slice(-1)
}

const byAge = (a: Stripe.Subscription, b: Stripe.Subscription) => a.created - b.created

/** One subscription is enough: nobody is to be charged twice. */
async function cancelSecond(accountId: string, other: Stripe.Subscription): Promise<void> {
  log.warn({ accountId, subscription: other.id }, "an account has a second subscription: it is canceled")
  await (await stripe()).subscriptions.cancel(other.id, { prorate: true })
}

/** The account has been deleted: it pays for nothing from now on. */
async function ended(payer: Payer.Info, subscriptions: Stripe.Subscription[]): Promise<true> {
  const client = await stripe()
  if (payer.checkout !== undefined) {
    const { status } = await client.checkout.sessions.retrieve(payer.checkout)
    if (status === "open") await client.checkout.sessions.expire(payer.checkout)
  }
  for (const { id, status } of subscriptions) if (!isEnded(status)) await client.subscriptions.cancel(id)
  await Payer.remove(payer.accountId)
  return true
}

function isEnded(status: Stripe.Subscription.Status): boolean {
  return status === "canceled" || status === "incomplete_expired"
}

function isOver(subscription: Account.Subscription): boolean {
  return subscription === "unpaid" || subscription === "canceled"
}

/** @throws ZodError for a word of a later version of Stripe's API than the SDK's */
function saidOf(subscription: Stripe.Subscription): Payer.Said {
  const [item] = subscription.items.data
  return {
    id: subscription.id,
    status: Payer.Status.parse(subscription.status),
    quantity: item?.quantity ?? 0,
    trialEnd: subscription.trial_end ?? undefined,
    periodEnd: item?.current_period_end ?? 0,
    cancelAt: subscription.cancel_at ?? undefined,
  }
}

/** The state of an account's subscription, by Stripe's word for it. */
function stateOf(status: Payer.Said["status"] | undefined): Account.Subscription {
  switch (status) {
    case undefined:
    case "incomplete":
    case "incomplete_expired":
      return "none"
    case "trialing":
    case "active":
    case "past_due":
    case "canceled":
      return status
    case "unpaid":
    case "paused":
      return "unpaid"
  }
}
