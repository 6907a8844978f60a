import type Stripe from "stripe"
import { Billing } from "#core/account/billing.ts"
import { lookAtStripe } from "./look-at-stripe.ts"
import { Payer } from "./payer.ts"
import { ifThere, isAnswer, stripe } from "./stripe.ts"

/**
 * Stripe's page for what is open: the last invoice's own, or the customer portal. Undefined if Stripe does
 * not know the account.
 */
export async function payPage(accountId: string): Promise<string | undefined> {
  const payer = await Payer.get(accountId)
  if (!payer?.said) return undefined
  const latest = await latestInvoice(payer.said.id)
  // After Stripe has given up it makes only drafts, and only a payment of the latest one revives the
  // subscription.
  const invoice = latest?.status === "draft" ? await finalized(latest.id) : latest
  return invoice?.status === "open" && invoice.hosted_invoice_url
    ? invoice.hosted_invoice_url
    : await portalPage(accountId)
}

async function latestInvoice(id: string): Promise<Stripe.Invoice | undefined> {
  const { subscriptions } = await stripe()
  const subscription = await ifThere(subscriptions.retrieve(id, { expand: ["latest_invoice"] }))
  const invoice = subscription?.latest_invoice
  return invoice && typeof invoice === "object" ? invoice : undefined
}

async function finalized(id: string): Promise<Stripe.Invoice> {
  const { invoices } = await stripe()
  try {
    return await invoices.finalizeInvoice(id)
  } catch (error) {
    // Another tab was faster.
    if (isAnswer(error)) return await invoices.retrieve(id)
    throw error
  }
}

/** Stripe's customer portal: card, invoices, cancellation. Undefined if Stripe does not know the account. */
export async function portalPage(accountId: string): Promise<string | undefined> {
  return await portalAt(accountId)
}

/**
 * The portal's page that asks only whether to cancel, and leads back. Where Stripe refuses to open it, as for
 * a subscription that ends already, the whole portal. Undefined if Stripe does not know the account.
 */
export async function cancelPage(accountId: string): Promise<string | undefined> {
  const payer = await Payer.get(accountId)
  if (!payer?.said) return await portalPage(accountId)
  const flow = {
    type: "subscription_cancel",
    subscription_cancel: { subscription: payer.said.id },
    after_completion: { type: "redirect", redirect: { return_url: back() } },
  } as const
  try {
    return await portalAt(accountId, flow)
  } catch (error) {
    if (!isAnswer(error)) throw error
    return await portalPage(accountId)
  }
}

const back = () => Billing.dashboardUrl("/subscription/changed")

async function portalAt(
  accountId: string,
  flow?: Stripe.BillingPortal.SessionCreateParams.FlowData,
): Promise<string | undefined> {
  const payer = await Payer.get(accountId)
  if (payer?.customer === undefined) return undefined
  const { sessions } = (await stripe()).billingPortal
  const asked = { customer: payer.customer, return_url: back(), ...(flow && { flow_data: flow }) }
  const session = await ifThere(sessions.create(asked))
  // Without a session, the customer has been deleted at Stripe since the last look.
  if (!session) await lookAtStripe(accountId)
  return session?.url
}
