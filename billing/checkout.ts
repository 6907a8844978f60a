export * as Checkout from "./checkout.ts"

import type Stripe from "stripe"
import { Account } from "#core/account/account.ts"
import { Billing } from "#core/account/billing.ts"
import { ApiError } from "#core/error.ts"
import { now } from "#core/platform/clock.ts"
import { need } from "#core/platform/config.ts"
import { countToPay } from "./billable-bridges.ts"
import { FreeTrials } from "./free-trials.ts"
import { lookAtStripe } from "./look-at-stripe.ts"
import { Payer } from "./payer.ts"
import { ifThere, isAnswer, stripeMode, stripe } from "./stripe.ts"

/** Contract, "Subscription" */
const freeTrialDays = 7

/** If several tabs begin at the same time, those that lose the race begin again. */
const tries = 10

/** Notes the number that waits for a subscription. */
export async function want(accountId: string, asked: Omit<Payer.Wanted, "at">): Promise<void> {
  await note(accountId, { ...asked, at: now() })
}

/** Forgets the number that was wanted: it is there, or cannot be created. */
export async function forgetWanted(accountId: string): Promise<void> {
  await note(accountId, undefined)
}

async function note(accountId: string, wanted: Payer.Wanted | undefined): Promise<void> {
  for (let i = 0; i < tries; i++)
    if (await Payer.change(await Payer.getOrBlank(accountId), { wanted })) return
  throw new Error("the subscription kept changing while a number was noted")
}

/**
 * Stripe's page where an account subscribes. All tabs get the same page while it is open, and a page can be
 * paid once.
 * @returns undefined when the account has a subscription already, perhaps since a moment ago.
 */
export async function begin(accountId: string, email: string): Promise<string | undefined> {
  for (let i = 0; i < tries; i++) {
    await lookAtStripe(accountId)
    const account = await Account.get(accountId)
    if (!account) throw new ApiError("unauthorized", "this account has been deleted")
    if (account.isByHand || !["none", "canceled"].includes(account.subscription)) return undefined
    if (!(await noteFreeTrial(accountId, email))) continue
    const customer = await withCustomer(accountId, email)
    const session = customer && (await openSession(customer))
    if (session) return session.url ?? undefined
  }
  throw new Error("the subscription kept changing while Checkout was asked for")
}

/**
 * Notes that this person has had a free trial in another account, and so gets none here.
 * @returns false if the row has changed since it was read
 */
async function noteFreeTrial(accountId: string, email: string): Promise<boolean> {
  const payer = await Payer.getOrBlank(accountId)
  if (payer.hadFreeTrial || !(await FreeTrials.isOfAnother(accountId, [FreeTrials.markOf("address", email)])))
    return true
  return (await Payer.change(payer, { hadFreeTrial: true })) !== undefined
}

/**
 * Asks Stripe what the account pays, when its customer comes back from Stripe's page: the address that they
 * come back to proves nothing.
 * @returns the number that they wanted, if there is one to create now
 */
export async function wantedAfterPayment(accountId: string): Promise<Payer.Wanted | undefined> {
  await lookAtStripe(accountId)
  const payer = await Payer.get(accountId)
  return payer?.said && !["incomplete", "incomplete_expired"].includes(payer.said.status)
    ? payer.wanted
    : undefined
}

/** @returns undefined if the row has changed since it was read */
async function withCustomer(accountId: string, email: string): Promise<Payer.Info | undefined> {
  const payer = await Payer.getOrBlank(accountId)
  if (payer.customer !== undefined && (await isCustomer(payer.customer))) return payer
  const { customers } = await stripe()
  const { id } = await customers.create({ email, metadata: { account_id: accountId } })
  // Neither a page that was opened for an earlier customer nor the answer under its key is for this one.
  const checkouts = payer.checkouts + (payer.customer === undefined ? 0 : 1)
  const others = Payer.customersOf(payer)
  return await Payer.change(payer, {
    customer: id,
    others,
    mode: stripeMode(),
    checkout: undefined,
    checkouts,
  })
}

/** Whether Stripe still has this customer. A deleted one can be read, but cannot subscribe any more. */
async function isCustomer(id: string): Promise<boolean> {
  const customer = await ifThere((await stripe()).customers.retrieve(id))
  return customer !== undefined && !customer.deleted
}

/**
 * The page that is open, else a new one. @returns undefined if the row has changed since it was read: look
 * again
 */
async function openSession(payer: Payer.Info): Promise<Stripe.Checkout.Session | undefined> {
  const { sessions } = (await stripe()).checkout
  if (payer.checkout !== undefined) {
    const session = await ifThere(sessions.retrieve(payer.checkout))
    if (session?.status === "open") return session
    await Payer.change(payer, { checkout: undefined })
    return undefined
  }
  const quantity = Math.max(1, await countToPay(payer.accountId))
  const opened = { checkouts: payer.checkouts + 1 }
  try {
    // Two tabs that come here ask under the same key, so they get the same page.
    const session = await sessions.create(paramsOf(payer, quantity), {
      idempotencyKey: `checkout:${payer.accountId}:${payer.checkouts}:${quantity}`,
    })
    return (await Payer.change(payer, { ...opened, checkout: session.id })) && session
  } catch (error) {
    // Stripe would answer this key with the same refusal for a day: the next try needs another.
    if (isAnswer(error)) await Payer.change(payer, opened)
    throw error
  }
}

/** The parameters are the same in every tab: Stripe refuses a known key with others. */
function paramsOf(
  { accountId, customer, hadFreeTrial }: Payer.Info,
  quantity: number,
): Stripe.Checkout.SessionCreateParams {
  return {
    mode: "subscription",
    customer,
    client_reference_id: accountId,
    metadata: { account_id: accountId },
    line_items: [{ price: need("STRIPE_PRICE"), quantity }],
    // The card is asked for although nothing is due during the free trial.
    payment_method_collection: "always",
    subscription_data: { metadata: { account_id: accountId }, ...(!hadFreeTrial && freeTrial()) },
    success_url: Billing.dashboardUrl("/subscription/return"),
    cancel_url: Billing.dashboardUrl("/subscription"),
  }
}

/**
 * In November 2026 Stripe calls `trial_period_days` legacy, while its successor is a preview. Once the
 * successor is released, it belongs here.
 */
function freeTrial() {
  return { trial_period_days: freeTrialDays }
}
