import { need } from "#core/platform/config.ts"
import type { Payer } from "./payer.ts"
import { ifThere, stripe } from "./stripe.ts"

/** An amount as Stripe gives it: none is computed here. */
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
 * The price of a number: that of the account's own subscription, which a later price does not change.
 * Undefined if there is no one price for each number, as in tiers, or if it is not a whole number of the
 * smallest unit.
 */
export async function priceOf({ said }: Payer.Info): Promise<Price | undefined> {
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
export async function nextCharge({ said }: Payer.Info): Promise<(Amount & { at: number }) | undefined> {
  if (!said || !["trialing", "active"].includes(said.status) || said.cancelAt !== undefined) return undefined
  const preview = await (await stripe()).invoices.createPreview({ subscription: said.id })
  return { cents: preview.amount_due, currency: preview.currency, at: said.periodEnd }
}

/** An invoice of an account. */
export interface Bill extends Amount {
  /** When it was made, Unix seconds. */
  at: number
  /** Stripe's word: `open`, `paid`, `void`, `uncollectible`. */
  status: string
  /** Stripe's page of it. */
  url: string | undefined
}

/** The latest invoices, newest first, without those that amount to nothing. */
export async function billsOf({ customer }: Payer.Info): Promise<Bill[]> {
  if (customer === undefined) return []
  const listed = await ifThere((await stripe()).invoices.list({ customer, limit: 12 }))
  const bills = (listed?.data ?? []).flatMap(
    ({ created, status, currency, amount_due, hosted_invoice_url }) =>
      // The customer is not asked to pay a draft.
      status === null || status === "draft"
        ? []
        : [{ at: created, status, cents: amount_due, currency, url: hosted_invoice_url ?? undefined }],
  )
  return bills.filter(({ cents }) => cents > 0)
}

/**
 * The last digits of the card that is charged; undefined without one, or if the account pays in another way.
 */
export async function lastDigitsOf({ said }: Payer.Info): Promise<string | undefined> {
  if (!said || said.status === "canceled") return undefined
  const expand = ["default_payment_method"]
  const found = await ifThere((await stripe()).subscriptions.retrieve(said.id, { expand }))
  const method = found?.default_payment_method
  return typeof method === "object" ? method?.card?.last4 : undefined
}

/**
 * How many decimals Stripe's amounts have, where it is not two. ISK and UGX have none, and Stripe takes them
 * with two (docs.stripe.com/currencies, "Zero-decimal currencies", "Three-decimal currencies", "Special
 * cases").
 */
const decimals: Record<number, string[]> = {
  0: [
    "bif",
    "clp",
    "djf",
    "gnf",
    "jpy",
    "kmf",
    "krw",
    "mga",
    "pyg",
    "rwf",
    "vnd",
    "vuv",
    "xaf",
    "xof",
    "xpf",
  ],
  3: ["bhd", "jod", "kwd", "omr", "tnd"],
}

/** An amount of Stripe's, for people. */
export function money({ cents, currency }: Amount): string {
  const found = Object.entries(decimals).find(([, all]) => all.includes(currency.toLowerCase()))
  const digits = Number(found?.[0] ?? 2)
  const value = cents / 10 ** digits
  // A currency that people may write without decimals, though Stripe counts it with two.
  const exact = Number.isInteger(value)
    ? {}
    : { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return new Intl.NumberFormat("en", { style: "currency", currency, ...exact }).format(value)
}

/** "€9.00 for each number and month". */
export function priceLine({ interval, count, ...amount }: Price): string {
  const span = count === 1 ? ` and ${interval}` : `, every ${count} ${interval}s`
  return `${money(amount)} for each number${span}`
}
