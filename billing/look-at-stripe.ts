import type Stripe from "stripe"
import { Account } from "#core/account/account.ts"
import { AuditLog } from "#core/account/audit-log.ts"
import { Member } from "#core/account/member.ts"
import { Lease } from "#core/lease/lease.ts"
import { iso, now } from "#core/platform/clock.ts"
import { log } from "#core/platform/log.ts"
import { transact } from "#core/store/store.ts"
import { billableBridges, isNumberStillWanted } from "./billable-bridges.ts"
import { FreeTrials } from "./free-trials.ts"
import { Payer } from "./payer.ts"
import { settleQuantity } from "./quantity.ts"
import { idOf, ifThere, stripeMode, stripe } from "./stripe.ts"
import { pauseOrResumeBridges } from "./unpaid-bridges.ts"

/**
 * Two looks at one account at the same time begin again, so this many are enough for any number of webhooks
 * at once.
 */
const tries = 20

/**
 * Asks Stripe what an account has, writes that down, and lets its bridges and its quantity follow. Each write
 * is refused if another came after this look had begun to ask. So what is written in the end is what Stripe
 * said last, in whatever order the webhooks came.
 * @throws the SDK's errors when Stripe cannot be asked: then nothing changes
 */
export async function lookAtStripe(accountId: string): Promise<void> {
  for (let i = 0; i < tries; i++) if (await hasLooked(accountId)) return
  throw new Error("the subscription kept changing while it was looked at")
}

/** @returns false if the row has changed since it was read: what Stripe said may be out of date */
async function hasLooked(accountId: string): Promise<boolean> {
  const known = await Payer.get(accountId)
  if (!known) return true
  const payer = ofThisStripe(known)
  const account = await Account.get(accountId)
  if (!account) return await ended(payer)
  if (account.isByHand) await closeCheckout(payer)

  const [own, ...others] = await subscriptionsOf(payer)
  for (const other of others) await cancelSecond(accountId, other)
  if (own?.status === "trialing" && !account.isByHand && (await isAnothersFreeTrial(payer, own))) {
    // The subscription goes on as a paid one from this moment on.
    await (await stripe()).subscriptions.update(own.id, { trial_end: "now" })
    log.warn({ accountId }, "a second free trial of the same card or phone was ended")
    return false
  }
  const said = own && saidOf(own)
  const pastDueSince = said?.status === "past_due" ? (payer.pastDueSince ?? now()) : undefined
  const hasPaid = payer.hasPaid || (pastDueSince !== undefined && (await hasPaidOnce(payer)))
  const subscription = account.isByHand ? account.subscription : stateOf(said?.status, pastDueSince, hasPaid)
  const mayRun = Account.mayRun(account, subscription)
  const isGivenUp = isOver(subscription) && !account.isByHand
  const seen: Payer.Info = {
    ...payer,
    ...customersBy(payer, own),
    said,
    hadFreeTrial: payer.hadFreeTrial || said?.freeTrialEnd !== undefined,
    hasPaid,
    pastDueSince,
    wanted: (await isNumberStillWanted(payer)) ? payer.wanted : undefined,
    stoppedAt: isGivenUp ? (payer.stoppedAt ?? now()) : undefined,
  }
  const [was, is] = [
    subscriptionInWords(account.subscription, payer.said),
    subscriptionInWords(subscription, said),
  ]
  const refused = await transact([
    Payer.writing(seen),
    Account.subscriptionWrite(account, subscription),
    ...(was === is || account.isByHand ? [] : [AuditLog.recording(accountId, { ...byStripe, about: is })]),
  ])
  if (refused) return false
  if (subscription !== account.subscription)
    log.info({ accountId, was: account.subscription, subscription }, "subscription changed")

  const written = { ...seen, version: payer.version + 1 }
  await pauseOrResumeBridges(written, mayRun)
  // Without this check, an older look could stop what a newer one, which saw the payment, has let run.
  if ((await Payer.get(accountId))?.version !== written.version) return false
  return own && !account.isByHand ? await settleQuantity(written, own) : true
}

/**
 * The payer's record, without what another Stripe has said. Its customers are kept: a service that goes back
 * to the other Stripe has to find what is charged there.
 */
function ofThisStripe(payer: Payer.Info): Payer.Info {
  const mode = stripeMode()
  if (payer.mode === undefined || payer.mode === mode) return { ...payer, mode }
  log.warn({ accountId: payer.accountId, was: payer.mode, mode }, "an account begins anew at another Stripe")
  const { accountId, version, checkouts, generation, wanted } = payer
  return {
    accountId,
    version,
    mode,
    hadFreeTrial: false,
    hasPaid: false,
    checkouts: checkouts + 1,
    generation: generation + 1,
    others: Payer.customersOf(payer),
    wanted,
  }
}

/**
 * The account's subscriptions at Stripe. The one that counts is first: a paid one, else a living one, else
 * the latest.
 */
async function subscriptionsOf(payer: Payer.Info): Promise<Stripe.Subscription[]> {
  const lists = await Promise.all(Payer.customersOf(payer).map((customer) => listOf(payer, customer)))
  const own = lists.flat().filter(({ metadata }) => metadata.account_id === payer.accountId)
  const living = own.filter(({ status }) => !isEnded(status))
  if (living.length === 0) return own.toSorted(byAge).slice(-1)
  const weight = ({ id, status }: Stripe.Subscription) =>
    (isPaid(status) ? 2 : 0) + (id === payer.said?.id ? 1 : 0)
  return living.toSorted((a, b) => weight(b) - weight(a) || byAge(a, b))
}

/**
 * Remembers the free trial by its owners' addresses, the card and the phones. Addresses are compared only
 * before a free trial begins, so an owner whom the account gets later does not end it.
 * @returns whether another account has had a free trial with this card, or one of these phones
 */
async function isAnothersFreeTrial({ accountId }: Payer.Info, own: Stripe.Subscription): Promise<boolean> {
  const [members, bridges] = await Promise.all([Member.list(accountId), billableBridges(accountId)])
  const leases = await Promise.all(bridges.map(async ({ id }) => await Lease.get(id)))
  const owners = members.filter(({ role }) => role === "owner")
  const method = own.default_payment_method
  const card = typeof method === "object" ? method?.card?.fingerprint : undefined
  await FreeTrials.remember(
    accountId,
    owners.map(({ email }) => FreeTrials.markOf("address", email)),
  )
  return await FreeTrials.remember(accountId, [
    ...(card ? [FreeTrials.markOf("card", card)] : []),
    ...leases
      .flatMap((lease) => lease?.reported?.phone_hash ?? [])
      .map((hash) => FreeTrials.markOf("phone", hash)),
  ])
}

/** The customer who counts is the one with the subscription that counts. */
function customersBy(payer: Payer.Info, own: Stripe.Subscription | undefined) {
  const customer = own && !isEnded(own.status) ? idOf(own.customer) : payer.customer
  return { customer, others: Payer.customersOf(payer).filter((one) => one !== customer) }
}

/**
 * The subscriptions of a customer; none if Stripe does not know them. The customer is kept: with the right
 * key, Stripe knows them again.
 */
async function listOf(payer: Payer.Info, customer: string): Promise<Stripe.Subscription[]> {
  const { customers, subscriptions } = await stripe()
  const expand = ["data.default_payment_method"]
  const found = await ifThere(subscriptions.list({ customer, status: "all", limit: 100, expand }))
  if (found) return found.data
  if (payer.said !== undefined && customer === payer.customer) {
    // If Stripe does not even know them as deleted, the live key is rather another account's: this throws,
    // and nothing changes.
    if (stripeMode() === "live") await customers.retrieve(customer)
    const { accountId } = payer
    log.warn({ accountId, customer }, "Stripe does not know the customer: their bridges are paused")
  }
  return []
}

const byAge = (a: Stripe.Subscription, b: Stripe.Subscription) => a.created - b.created

/** Cancels a second subscription: no account is to be charged twice. */
async function cancelSecond(accountId: string, other: Stripe.Subscription): Promise<void> {
  log.warn({ accountId, subscription: other.id }, "an account has a second subscription: it is canceled")
  await (await stripe()).subscriptions.cancel(other.id, { prorate: true })
}

/** The account has been deleted: it pays for nothing from now on. */
async function ended(payer: Payer.Info): Promise<boolean> {
  // This comes first: after it the customer cannot subscribe any more.
  await closeCheckout(payer)
  const { subscriptions } = await stripe()
  for (const { id, status } of await subscriptionsOf(payer))
    if (!isEnded(status)) await subscriptions.cancel(id)
  return await Payer.retire(payer)
}

/** Closes the page of Checkout that may still be open. */
async function closeCheckout({ checkout }: Payer.Info): Promise<void> {
  if (checkout === undefined) return
  const { sessions } = (await stripe()).checkout
  const session = await ifThere(sessions.retrieve(checkout))
  if (session?.status === "open") await sessions.expire(checkout)
}

function isEnded(status: Stripe.Subscription.Status): boolean {
  return status === "canceled" || status === "incomplete_expired"
}

function isPaid(status: Stripe.Subscription.Status): boolean {
  return status === "trialing" || status === "active"
}

function isOver(subscription: Account.Subscription): boolean {
  return subscription === "unpaid" || subscription === "canceled"
}

/** @throws ZodError for a word of Stripe's API that is newer than the SDK */
function saidOf(subscription: Stripe.Subscription): Payer.Said {
  const [item] = subscription.items.data
  return {
    id: subscription.id,
    status: Payer.Status.parse(subscription.status),
    quantity: item?.quantity ?? 0,
    freeTrialEnd: subscription.trial_end ?? undefined,
    periodEnd: item?.current_period_end ?? 0,
    cancelAt: subscription.cancel_at ?? undefined,
  }
}

const byStripe = { by: "Stripe", act: "subscription_changed", address: "", agent: "" } as const

/** A subscription in the words of the audit log. */
export function subscriptionInWords(
  subscription: Account.Subscription,
  said: Payer.Said | undefined,
): string {
  const ends = subscription === "canceled" || subscription === "none" ? undefined : said?.cancelAt
  const state = subscription.replace("_", " ")
  return ends === undefined ? state : `${state}, until ${iso(ends * 1000).slice(0, 10)}`
}

/**
 * Whether the account has paid for an invoice. The invoice of a free trial counts as paid at Stripe, too,
 * but amounts to nothing.
 */
async function hasPaidOnce(payer: Payer.Info): Promise<boolean> {
  const { invoices } = await stripe()
  for (const customer of Payer.customersOf(payer)) {
    const paid = await ifThere(invoices.list({ customer, status: "paid", limit: 100 }))
    if (paid?.data.some(({ amount_paid }) => amount_paid > 0)) return true
  }
  return false
}

/**
 * How long bridges run while a payment is past due, in seconds. Stripe can be told to leave a subscription
 * past due for ever, and a card that was never charged may be one that never can be.
 */
const pastDueFor = { hasPaid: 60 * 86_400, neverPaid: 3 * 86_400 }

/** The state of an account's subscription, by Stripe's word for it. */
function stateOf(
  status: Payer.Said["status"] | undefined,
  pastDueSince: number | undefined,
  hasPaid: boolean,
): Account.Subscription {
  const patience = hasPaid ? pastDueFor.hasPaid : pastDueFor.neverPaid
  switch (status) {
    case undefined:
    case "incomplete":
    case "incomplete_expired":
      return "none"
    case "past_due":
      return (pastDueSince ?? now()) + patience < now() ? "unpaid" : "past_due"
    case "trialing":
    case "active":
    case "canceled":
      return status
    case "unpaid":
    case "paused":
      return "unpaid"
  }
}
