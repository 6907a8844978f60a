import { randomBytes } from "node:crypto"
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import type { Card } from "./cards.ts"

/**
 * The objects of Stripe's API, in its own shapes, with the fields that are read here. Times are Unix seconds.
 */
export interface Customer {
  id: string
  object: "customer"
  email: string | null
  metadata: Record<string, string>
  created: number
  deleted?: true
}

export interface Session {
  id: string
  object: "checkout.session"
  mode: "subscription"
  status: "open" | "complete" | "expired"
  customer: string
  client_reference_id: string | null
  metadata: Record<string, string>
  subscription: string | null
  url: string | null
  success_url: string
  cancel_url: string
  created: number
  expires_at: number
}

export interface Subscription {
  id: string
  object: "subscription"
  customer: string
  status: "trialing" | "active" | "past_due" | "unpaid" | "canceled"
  metadata: Record<string, string>
  created: number
  trial_end: number | null
  cancel_at: number | null
  cancel_at_period_end: boolean
  canceled_at: number | null
  latest_invoice: string | null
  items: { object: "list"; data: [Item]; has_more: false; url: string }
}

interface Item {
  id: string
  object: "subscription_item"
  quantity: number
  current_period_start: number
  current_period_end: number
  price: Price
}

export interface Price {
  id: string
  object: "price"
  currency: string
  unit_amount: number
  recurring: { interval: "month"; interval_count: 1 }
}

export interface Invoice {
  id: string
  object: "invoice"
  customer: string
  status: "draft" | "open" | "paid" | "void"
  currency: string
  amount_due: number
  amount_paid: number
  created: number
  next_payment_attempt: number | null
  attempt_count: number
  hosted_invoice_url: string
  parent: {
    type: "subscription_details"
    subscription_details: { subscription: string; metadata: Record<string, string> }
  }
}

/** The parameters of a page of Checkout. */
interface Asked {
  quantity: number
  trialDays: number | undefined
  metadata: Record<string, string>
}

/** A page of the customer portal. */
export interface Portal {
  customer: string
  /** Where its way back leads. */
  return_url: string
  /**
   * The page asks only about the end of this subscription, and leads to `return_url` afterwards; without
   * that, to the whole portal.
   */
  cancels?: { subscription: string; return_url?: string | undefined } | undefined
}

/** An answer that was given under an idempotency key. */
interface Answered {
  /** The call and its parameters: the same key with others is refused. */
  call: string
  status: number
  body: unknown
}

/** Everything that the pretend Stripe knows. */
export interface Book {
  /** How far its clock is ahead, in seconds. */
  aheadS: number
  customers: Record<string, Customer>
  /** The card on file, by customer. */
  cards: Record<string, Card>
  sessions: Record<string, Session>
  /** By the page's id. */
  asked: Record<string, Asked>
  subscriptions: Record<string, Subscription>
  invoices: Record<string, Invoice>
  /**
   * What the next invoice of a subscription charges or credits in addition, in cents, by the subscription's
   * id.
   */
  pending: Record<string, number>
  portals: Record<string, Portal>
  answered: Record<string, Answered>
}

/** The one price that there is: 9 € for a number and month. */
export const price: Price = {
  id: "price_pretend",
  object: "price",
  currency: "eur",
  unit_amount: 900,
  recurring: { interval: "month", interval_count: 1 },
}

/** A new book, or the one that this file keeps. */
export function openBook(file: string | undefined): { book: Book; keep: () => void } {
  const book: Book =
    file !== undefined && existsSync(file)
      ? (JSON.parse(readFileSync(file, "utf8")) as Book) // only `keep` writes it
      : {
          aheadS: 0,
          customers: {},
          cards: {},
          sessions: {},
          asked: {},
          subscriptions: {},
          invoices: {},
          pending: {},
          portals: {},
          answered: {},
        }
  return { book, keep: () => file !== undefined && write(file, book) }
}

/** A reader sees the old file or the new one, never half of one. */
function write(file: string, book: Book): void {
  const beside = `${file}.new`
  writeFileSync(beside, JSON.stringify(book), { mode: 0o600, flush: true })
  renameSync(beside, file)
}

/** A new id, as `sub_1f…`. */
export function idFor(kind: "cus" | "cs_test" | "sub" | "si" | "in" | "bps" | "evt"): string {
  return `${kind}_${randomBytes(12).toString("hex")}`
}
