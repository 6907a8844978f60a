export * as Money from "./money.ts"

import type Stripe from "stripe"
import { need } from "../platform/config.ts"
import { Billing } from "./billing.ts"
import { look } from "./look.ts"
import { Payer } from "./payer.ts"
import { isMissing, stripe } from "./stripe.ts"

/** An amount in the smallest unit of its currency, as Stripe gives it: we compute none. */
export interface Amount {
  cents: number
  currency: string
}

/** The monthly price of a number. */
export async function price(): Promise<Amount> {
  const { unit_amount, currency } = await (await stripe()).prices.retrieve(need("STRIPE_PRICE"))
  return { cents: unit_amount ?? 0, currency }
}

/** The next charge at Stripe: how much, and when (Unix seconds); undefined if nothing comes. */
export async function coming({ said }: Payer.Info): Promise<(Amount & { at: number }) | undefined> {
  if (!said || !["trialing", "active"].includes(said.status) || said.cancelAt !== undefined) return undefined
  const preview = await (await stripe()).invoices.createPreview({ subscription: said.id })
  return { cents: preview.amount_due, currency: preview.currency, at: said.periodEnd }
}

/** Stripe's page for what is open: the last invoice's own, or the customer portal. Undefined if it knows no such account. */
export async function payPage(accountId: string): Promise<string | undefined> {
  const payer = await Payer.get(accountId)
  if (!payer?.said) return undefined
  const expand = ["latest_invoice"]
  const { latest_invoice } = await (await stripe()).subscriptions.retrieve(payer.said.id, { expand })
  const latest = typeof latest_invoice === "object" ? latest_invoice : null
  // Once Stripe has given up it makes drafts alone, and only the payment of the latest revives the subscription.
  const invoice = latest?.status === "draft" ? await finalized(latest.id) : latest
  return invoice?.status === "open" && invoice.hosted_invoice_url
    ? invoice.hosted_invoice_url
    : await portal(accountId)
}

async function finalized(invoice: string): Promise<Stripe.Invoice> {
  return await (await stripe()).invoices.finalizeInvoice(invoice)
}

/** Stripe's customer portal: card, invoices, cancellation. Undefined if it knows no such account. */
export async function portal(accountId: string): Promise<string | undefined> {
  const payer = await Payer.get(accountId)
  if (payer?.customer === undefined) return undefined
  const { sessions } = (await stripe()).billingPortal
  const return_url = Billing.at("/subscription/changed")
  try {
    return (await sessions.create({ customer: payer.customer, return_url })).url
  } catch (error) {
    if (!isMissing(error)) throw error
    // Somebody has deleted the customer at Stripe since the last look.
    await look(accountId)
    return undefined
  }
}
