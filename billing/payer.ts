export * as Payer from "./payer.ts"

import { z } from "zod"
import { now } from "#core/platform/clock.ts"
import { getRow, type Put, putRow, removeRow, type Row } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"

/** The number that the customer wants to create once they have paid, and since when (Unix seconds). */
const Wanted = z.object({ customerRef: z.string(), webhookUrl: z.string(), at: z.number().int() })
export type Wanted = z.infer<typeof Wanted>

/** Stripe's own words for the state of a subscription. */
export const Status = z.enum([
  "incomplete",
  "incomplete_expired",
  "trialing",
  "active",
  "past_due",
  "unpaid",
  "paused",
  "canceled",
])

/** The subscription as Stripe last described it. Times are Unix seconds. */
const Said = z.object({
  id: z.string(),
  status: Status,
  quantity: z.number().int(),
  freeTrialEnd: z.number().int().optional(),
  periodEnd: z.number().int(),
  /** When the subscription ends because its customer said so. */
  cancelAt: z.number().int().optional(),
})
export type Said = z.infer<typeof Said>

/** An account as Stripe knows it. */
const Info = z.object({
  accountId: z.string(),
  /** Counts the writes of this row: each write says which version its writer has read. */
  version: z.number().int(),
  /**
   * Which Stripe this is from: the pretend one, test mode or live mode. What one of them says does not hold
   * for another.
   */
  mode: z.string().optional(),
  customer: z.string().optional(),
  /**
   * Other customers of this account, earlier ones or named by a webhook: they must not be charged as well.
   */
  others: z.array(z.string()),
  said: Said.optional(),
  /** The account has had its free trial, of which there is one for each account. */
  hadFreeTrial: z.boolean(),
  /** The account has once paid for an invoice. Stripe is asked only while a payment is past due. */
  hasPaid: z.boolean(),
  /** How many pages of Stripe's Checkout were asked for, and the last of them while it may be open. */
  checkouts: z.number().int(),
  checkout: z.string().optional(),
  wanted: Wanted.optional(),
  /** How many changes of the quantity were asked for, and the last of them while its outcome is not known. */
  generation: z.number().int(),
  asked: z.number().int().optional(),
  /** Since when a payment is past due, Unix seconds. */
  pastDueSince: z.number().int().optional(),
  /**
   * Since when the account's bridges are stopped because it does not pay any more, Unix seconds. They are
   * deleted 30 days later.
   */
  stoppedAt: z.number().int().optional(),
})
export type Info = z.infer<typeof Info>

/** How often a webhook tries to note its customer: of several at once, one succeeds after the other. */
const tries = 10
/** How many other customers are kept: far more than an operator creates by hand at Stripe. */
const mostOthers = 10
/** How long a deleted account's customers are kept, in seconds. */
const keptFor = 92 * 86_400

function key(accountId: string) {
  return { pk: `ACCOUNT#${accountId}`, sk: "PAYER" }
}

export async function get(accountId: string): Promise<Info | undefined> {
  const row = await getRow(tables.accounts, key(accountId))
  return row && fromRow(row)
}

/** As `get`, or what is known of an account that Stripe has never heard of. */
export async function getOrBlank(accountId: string): Promise<Info> {
  const known = await get(accountId)
  return known ?? blank(accountId)
}

function blank(accountId: string): Info {
  return {
    accountId,
    version: 0,
    others: [],
    hadFreeTrial: false,
    hasPaid: false,
    checkouts: 0,
    generation: 0,
  }
}

/**
 * The write of a row, as a member of a transaction. It is refused if the row has changed since it was read.
 */
export function writing(payer: Info): { Put: Put } {
  const isNew = payer.version === 0
  return {
    Put: {
      TableName: tables.accounts,
      Item: toRow({ ...payer, version: payer.version + 1 }),
      ConditionExpression: isNew ? "attribute_not_exists(pk)" : "version = :read",
      ...(!isNew && { ExpressionAttributeValues: { ":read": payer.version } }),
    },
  }
}

/** Writes these changes. @returns the row as it is then; undefined if it has changed since it was read */
export async function change(payer: Info, changes: Partial<Info>): Promise<Info | undefined> {
  const changed = { ...payer, ...changes }
  const refused = await putRow(writing(changed).Put)
  return refused ? undefined : { ...changed, version: payer.version + 1 }
}

/**
 * A webhook says that this customer pays for the account. @returns false if nothing is known of the account
 */
export async function noteCustomer(accountId: string, customer: string | undefined): Promise<boolean> {
  for (let i = 0; i < tries; i++) {
    const payer = await get(accountId)
    if (!payer) return false
    if (customer === undefined || customersOf(payer).includes(customer)) return true
    if (await change(payer, { others: [...payer.others, customer] })) return true
  }
  throw new Error("the subscription kept changing while its customer was noted")
}

/** Every customer of Stripe's that may pay for the account. */
export function customersOf({ customer, others }: Info): string[] {
  return customer === undefined ? others : [customer, ...others]
}

/**
 * Keeps the customers of a deleted account for some months. Within one month, Stripe's webhooks would tell of
 * a subscription that still lives, and it would be canceled.
 * @returns false if the row has changed since it was read
 */
export async function retire(payer: Info): Promise<boolean> {
  const { accountId, version, mode, customer, others } = payer
  if (customersOf(payer).length === 0) return await remove(payer)
  const left: Info = { ...blank(accountId), version, mode, customer, others }
  const { Put: row } = writing(left)
  return !(await putRow({ ...row, Item: { ...row.Item, expires_at: now() + keptFor } }))
}

/** @returns false if the row has changed since it was read */
async function remove(payer: Info): Promise<boolean> {
  const refused = await removeRow({
    TableName: tables.accounts,
    Key: key(payer.accountId),
    ConditionExpression: "version = :read",
    ExpressionAttributeValues: { ":read": payer.version },
  })
  return refused === undefined
}

function toRow(payer: Info): Row {
  const { said, wanted } = payer
  return {
    ...key(payer.accountId),
    version: payer.version,
    mode: payer.mode,
    customer: payer.customer,
    others: payer.others.length > 0 ? payer.others.slice(0, mostOthers) : undefined,
    said: said && {
      id: said.id,
      status: said.status,
      quantity: said.quantity,
      trial_end: said.freeTrialEnd,
      period_end: said.periodEnd,
      cancel_at: said.cancelAt,
    },
    had_trial: payer.hadFreeTrial,
    has_paid: payer.hasPaid,
    checkouts: payer.checkouts,
    checkout: payer.checkout,
    wanted: wanted && { customer_ref: wanted.customerRef, webhook_url: wanted.webhookUrl, at: wanted.at },
    generation: payer.generation,
    asked: payer.asked,
    past_due_since: payer.pastDueSince,
    stopped_at: payer.stoppedAt,
  }
}

function fromRow(row: Row): Info {
  const said = row.said as Row | undefined // a map or nothing: `toRow` wrote it, and the schema looks into it
  const wanted = row.wanted as Row | undefined // likewise
  return Info.parse({
    ...row,
    accountId: z.string().parse(row.pk).slice("ACCOUNT#".length),
    said: said && {
      ...said,
      freeTrialEnd: said.trial_end,
      periodEnd: said.period_end,
      cancelAt: said.cancel_at,
    },
    others: row.others ?? [],
    hadFreeTrial: row.had_trial,
    hasPaid: row.has_paid,
    wanted: wanted && { ...wanted, customerRef: wanted.customer_ref, webhookUrl: wanted.webhook_url },
    pastDueSince: row.past_due_since,
    stoppedAt: row.stopped_at,
  })
}
