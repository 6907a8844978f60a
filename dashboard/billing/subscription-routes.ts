import { Hono } from "hono"
import type { Context } from "hono"
import { countToPay, isNumberStillWanted } from "#billing/billable-bridges.ts"
import { Checkout } from "#billing/checkout.ts"
import { FreeTrials } from "#billing/free-trials.ts"
import { lookAtStripe, subscriptionInWords } from "#billing/look-at-stripe.ts"
import { Payer } from "#billing/payer.ts"
import { cancelPage, payPage, portalPage } from "#billing/portal-and-invoice-pages.ts"
import { billsOf, lastDigitsOf, nextCharge, priceOf } from "#billing/price-and-bills.ts"
import { isStripeError, isPretend } from "#billing/stripe.ts"
import { keptUnpaidFor } from "#billing/unpaid-bridges.ts"
import { Account } from "#core/account/account.ts"
import type { AuditLog } from "#core/account/audit-log.ts"
import { Billing } from "#core/account/billing.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { nowMs } from "#core/platform/clock.ts"
import { log } from "#core/platform/log.ts"
import { page } from "../answer.ts"
import { sentenceForPeople } from "../api-words.ts"
import { did } from "../audit-log.ts"
import { note } from "../elements.ts"
import { askOwners, type DashboardEnv, notAllowed } from "../guard.ts"
import { subscriptionPage } from "./subscription-page.ts"

/** An account's subscription: to Stripe's pages, and back from them. */
export const subscription = new Hono<DashboardEnv>()
  .get("/subscription", async (c) => await show(c))
  // Only owners pay: a member could cancel what others rely on.
  .post("/subscription/*", async (c, next) =>
    c.var.me.role === "owner"
      ? await next()
      : await notAllowed(c, "Only owners pay, and change what is paid"),
  )
  .post("/subscription/begin", async (c) => {
    const { accountId, me } = c.var
    return await atStripe(c, async () => {
      const url = await Checkout.begin(accountId, me.person.email)
      if (url !== undefined) await did(c, "payment_begun")
      // Another tab may have paid a moment ago: then the number is created now.
      return url ?? (await comeBack(c))
    })
  })
  .get("/subscription/return", async (c) => {
    return await atStripe(c, async () => {
      const where = await comeBack(c)
      await recordReturn(c)
      return where
    })
  })
  // Back from the portal: whatever was changed there is seen, and nothing is created.
  .get("/subscription/changed", async (c) => {
    return await atStripe(c, async () => {
      await lookAtStripe(c.var.accountId)
      await recordReturn(c)
      return "/subscription"
    })
  })
  .post("/subscription/pay", async (c) => {
    return await atStripe(c, async () => await lead(c, "invoice_opened", await payPage(c.var.accountId)))
  })
  .post("/subscription/portal", async (c) => {
    return await atStripe(c, async () => await lead(c, "portal_opened", await portalPage(c.var.accountId)))
  })
  .post("/subscription/cancel", async (c) => {
    return await atStripe(
      c,
      async () => await lead(c, "cancellation_opened", await cancelPage(c.var.accountId)),
    )
  })

/** Records that the member goes to a page of Stripe's, if there is one. @returns where to send the browser */
async function lead(c: Context<DashboardEnv>, act: AuditLog.Act, page: string | undefined): Promise<string> {
  if (page === undefined) return "/subscription"
  await did(c, act)
  return page
}

/** Records that the member comes back from a page of Stripe's, and what the account has there now. */
async function recordReturn(c: Context<DashboardEnv>): Promise<void> {
  const [account, payer] = await Promise.all([Account.get(c.var.accountId), Payer.get(c.var.accountId)])
  if (account && payer) await did(c, "stripe_left", subscriptionInWords(account.subscription, payer.said))
}

/** Redirects the browser to where `where` says. If Stripe cannot be asked, the page says so. */
async function atStripe(c: Context<DashboardEnv>, where: () => Promise<string>): Promise<Response> {
  try {
    return c.redirect(await where(), 303)
  } catch (error) {
    if (error instanceof ApiError)
      return await show(c, { sentence: sentenceForPeople(error.message), status: error.status })
    if (!isStripeError(error)) throw error
    log.error({ error, requestId: c.var.requestId, accountId: c.var.accountId }, "Stripe could not be asked")
    const sentence =
      "Stripe cannot be reached at the moment, and nothing was changed: try again in a few minutes."
    return await show(c, { sentence, status: 503 })
  }
}

/** @returns the page to go on with: the code of the number that was wanted, or the subscription */
async function comeBack(c: Context<DashboardEnv>): Promise<string> {
  const { accountId, me } = c.var
  const wanted = await Checkout.wantedAfterPayment(accountId)
  const account = await Account.get(accountId)
  const mayAdd = account?.subscription === "trialing" || account?.subscription === "active"
  if (!wanted || !mayAdd || me.role === "viewer") return "/subscription"
  try {
    const { customerRef, webhookUrl } = wanted
    const { bridge, created } = await Bridge.create({ accountId, customerRef, webhookUrl })
    if (created) await did(c, "number_added", bridge.customerRef)
    return `/numbers/${bridge.customerRef}/connect`
  } finally {
    await Checkout.forgetWanted(accountId)
  }
}

async function show(
  c: Context<DashboardEnv>,
  refused?: { sentence: string; status: ApiError["status"] },
): Promise<Response> {
  const { accountId, me } = c.var
  const [account, payer] = await Promise.all([Account.get(accountId), Payer.getOrBlank(accountId)])
  if (!account) throw new ApiError("unauthorized", "this account has been deleted")
  const isOwner = me.role === "owner"
  const { said, stoppedAt, wanted } = payer
  const address = FreeTrials.markOf("address", me.person.email)
  const hadFreeTrial = payer.hadFreeTrial || (await FreeTrials.isOfAnother(accountId, [address]))
  // If Stripe cannot be asked, the page is still of use, without the amounts.
  const asked = await Promise.all([
    priceOf(payer),
    nextCharge(payer),
    isOwner ? billsOf(payer) : [],
    isOwner ? lastDigitsOf(payer) : undefined,
  ]).catch((error: unknown) => {
    if (!isStripeError(error)) throw error
    return [undefined, undefined, [], undefined] as const
  })
  const body = subscriptionPage({
    state: account.subscription,
    // An account from before there was billing has a state that did not come from Stripe.
    isByHand: account.isByHand || (payer.customer === undefined && account.subscription !== "none"),
    isPretend: isPretend(),
    hadFreeTrial,
    hasPortal: said !== undefined && said.status !== "canceled",
    hasInvoices: said !== undefined,
    mayChange: isOwner,
    ask: isOwner ? "" : note("info", await askOwners(c, "Only owners pay for this account")),
    numbers: await countToPay(accountId),
    used: account.bridges,
    limit: account.bridgeLimit,
    price: asked[0],
    coming: asked[1],
    bills: asked[2],
    lastDigits: asked[3],
    periodEnd: said?.periodEnd,
    freeTrialEnd: said?.freeTrialEnd,
    cancelAt: said?.cancelAt,
    keptUntil: stoppedAt === undefined ? undefined : stoppedAt + keptUnpaidFor,
    wanted: (await isNumberStillWanted(payer)) ? wanted?.customerRef : undefined,
    notice: refused && note("bad", refused.sentence),
    nowMs: nowMs(),
  })
  return await page(c, { title: "Billing", place: "billing", body, status: refused?.status })
}

/**
 * Where a customer goes on whose number cannot be created without a payment. The number is noted with the
 * account, not in the address, so that a link of another person's cannot name it.
 * @returns undefined for any other refusal, and where nothing can be paid
 */
export async function leadToPayment(
  accountId: string,
  error: ApiError,
  wanted: Omit<Payer.Wanted, "at">,
): Promise<string | undefined> {
  if (!Billing.isOn() || error.status !== 402) return undefined
  if (error.code === "no_subscription") await Checkout.want(accountId, wanted)
  return "/subscription"
}
