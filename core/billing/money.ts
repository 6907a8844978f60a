export * as Money from "./money.ts"

import type Stripe from "stripe"
import { need } from "../platform/config.ts"
import { Billing } from "./mode-and-urls.ts"
import { look } from "./look.ts"
import { Payer } from "./payer.ts"
import { ifThere, isAnswer, stripe } from "./stripe.ts"

/** An amount as Stripe gives it: we compute none. */
export interface Amount {
  /** In the smallest unit that Stripe counts this currency in. */
  cents: number
  currency: string
}

/** The price of one number for a span of time: `count` times `interval`. */
export interface Price extends Amount {
  /** Stripe's word: `month`, `year`... */
  interval: string
  count: number
}

/**
 * The price of a number: that of the account's own subscription, which a later price changes nothing of. Undefined if
 * there is no one price for each number, as in tiers, or if it is no whole number of the smallest unit.
 */
export async function price({ said }: Payer.Info): Promise<Price | undefined> {
  const client = await stripe()
  const isNew = !said || said.status === "canceled" || said.status === "incomplete_expired"
  const own = isNew ? undefined : (await client.subscriptions.retrieve(said.id)).items.data[0]?.price
  const { unit_amount, currency, recurring, transform_quantity } =
    own ?? (await client.prices.retrieve(need("STRIPE_PRICE")))
  if (unit_amount === null || !recurring || recurring.usage_type === "metered" || transform_quantity)
    return undefined
  return { cents: unit_amount, currency, interval: recurring.interval, count: recurring.interval_count }
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
  const latest = await latestInvoice(payer.said.id)
  // Once Stripe has given up it makes drafts alone, and only the payment of the latest revives the subscription.
  const invoice = latest?.status === "draft" ? await finalized(latest.id) : latest
  return invoice?.status === "open" && invoice.hosted_invoice_url
    ? invoice.hosted_invoice_url
    : await portal(accountId)
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

/** Stripe's customer portal: card, invoices, cancellation. Undefined if it knows no such account. */
export async function portal(accountId: string): Promise<string | undefined> {
  const payer = await Payer.get(accountId)
  if (payer?.customer === undefined) return undefined
  const { sessions } = (await stripe()).billingPortal
  const return_url = Billing.at("/subscription/changed")
  const session = await ifThere(sessions.create({ customer: payer.customer, return_url }))
  // Else somebody has deleted the customer at Stripe since the last look.
  if (!session) await look(accountId)
  return session?.url
}
