export * as Account from "./account.ts"

import { randomUUID } from "node:crypto"
import { z } from "zod"
import { bridgeLimitSentence, sentences } from "#contract/error-codes.ts"
import { ApiError } from "../error.ts"
import { changesAre } from "../event/webhook-changes.ts"
import { now } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { getRow, query, type Row, transact, updateRow, type Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Billing } from "./billing.ts"

/**
 * `unpaid`: Stripe has given up on a payment. `canceled`: the subscription has ended. Either stops the
 * bridges.
 */
export const Subscription = z.enum(["none", "trialing", "active", "past_due", "unpaid", "canceled"])
export type Subscription = z.infer<typeof Subscription>

export const Info = z.object({
  id: z.string(),
  name: z.string(),
  subscription: Subscription,
  /** The operator has set the subscription by hand: what Stripe says of it changes nothing. */
  isByHand: z.boolean(),
  bridgeLimit: z.number().int(),
  bridges: z.number().int(),
  createdAt: z.number().int(),
  /** Its people see every account: they run the service. */
  isOperator: z.boolean(),
  /**
   * Its people see it only in a browser that was signed in with a passkey: access to their mailbox is not
   * enough.
   */
  isPasskeyOnly: z.boolean().default(false),
  /** The ids of its webhooks, which get the events of all its bridges; oldest first. */
  webhooks: z.array(z.string()).default([]),
  /** How often one of these was added, removed, or given another URL. */
  webhookChanges: z.number().int().default(0),
})
export type Info = z.infer<typeof Info>

/** Contract, "Bridges" */
const bridgeLimit = 10

export function key(accountId: string) {
  return { pk: `ACCOUNT#${accountId}`, sk: "PROFILE" }
}

/** Creates an account. A subscription that is given here is the operator's word; by default there is none. */
export async function create(input: New): Promise<Info> {
  const { account, writes } = creating(input)
  await transact(writes)
  return account
}

interface New {
  name: string
  subscription?: Subscription
}

/** The writes that create an account, for the caller's transaction. */
export function creating(input: New): { account: Info; writes: Write[] } {
  const account: Info = {
    id: randomUUID(),
    name: input.name,
    subscription: input.subscription ?? "none",
    isByHand: input.subscription !== undefined,
    bridgeLimit,
    bridges: 0,
    createdAt: now(),
    isOperator: false,
    isPasskeyOnly: false,
    webhooks: [],
    webhookChanges: 0,
  }
  return { account, writes: adding(account) }
}

/**
 * The writes by which an account comes from another service: without bridges yet, and without an operator's
 * rights.
 */
export function arriving(account: Info): Write[] {
  // Stripe knows the subscription at the other service, and tells this one nothing of it.
  const isByHand = account.isByHand || Billing.isOn()
  return adding({ ...account, bridges: 0, isByHand, webhooks: [] })
}

function adding(account: Info): Write[] {
  return [
    {
      Put: {
        TableName: tables.accounts,
        Item: toRow(account),
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    { Put: { TableName: tables.accounts, Item: { pk: "ACCOUNTS", sk: account.id } } },
  ]
}

export async function get(accountId: string): Promise<Info | undefined> {
  const row = await getRow(tables.accounts, key(accountId))
  return row && fromRow(row)
}

/** Every account of the service, for its operator. */
export async function list(): Promise<Info[]> {
  const all = query({
    TableName: tables.accounts,
    KeyConditionExpression: "pk = :all",
    ExpressionAttributeValues: { ":all": "ACCOUNTS" },
  })
  const ids = await Array.fromAsync(all, (row) => z.string().parse(row.sk))
  const found: (Info | undefined)[] = []
  for (let i = 0; i < ids.length; i += readAtOnce)
    found.push(...(await Promise.all(ids.slice(i, i + readAtOnce).map(get))))
  return found.filter((account) => account !== undefined)
}

/** Reads of a list that are under way at once. */
const readAtOnce = 25

/**
 * Sets the subscription by the operator's word, which overrides Stripe's.
 * @returns false when there is no such account.
 */
export async function setSubscription(accountId: string, subscription: Subscription): Promise<boolean> {
  return await change(accountId, "SET subscription = :is, by_hand = :yes", {
    ":is": subscription,
    ":yes": true,
  })
}

/**
 * Takes the operator's word back: there is no subscription until Stripe says so.
 * @returns false when there is no such account.
 */
export async function endOverride(accountId: string): Promise<boolean> {
  return await change(accountId, "SET subscription = :is REMOVE by_hand", { ":is": "none" })
}

/**
 * Lets an account have bridges without a payment, once billing is turned off.
 * @returns false, and changes nothing, if the operator has set its subscription by hand or there is no such
 * account
 */
export async function activateWithoutPayment(accountId: string): Promise<boolean> {
  return await change(
    accountId,
    "SET subscription = :is",
    { ":is": "active" },
    "attribute_not_exists(by_hand)",
  )
}

/**
 * The write of an account's subscription as Stripe has it. If the operator has set the subscription by hand,
 * the write changes nothing: it only checks that this still holds.
 */
export function subscriptionWrite(account: Info, subscription: Subscription): Write {
  const row = { TableName: tables.accounts, Key: key(account.id) }
  if (account.isByHand)
    return {
      ConditionCheck: {
        ...row,
        ConditionExpression: "by_hand = :yes",
        ExpressionAttributeValues: { ":yes": true },
      },
    }
  return {
    Update: {
      ...row,
      UpdateExpression: "SET subscription = :is",
      ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(by_hand)",
      ExpressionAttributeValues: { ":is": subscription },
    },
  }
}

/**
 * The write with which an account's webhooks, or their URLs, change. Refused if they have since the account
 * was read.
 */
export function changingWebhooks(account: Info, webhooks = account.webhooks): Write {
  const { condition, values } = changesAre(account.webhookChanges)
  return {
    Update: {
      TableName: tables.accounts,
      Key: key(account.id),
      UpdateExpression: "SET webhooks = :webhooks, webhook_changes = :next",
      ConditionExpression: `attribute_exists(pk) AND ${condition}`,
      ExpressionAttributeValues: { ...values, ":webhooks": webhooks, ":next": account.webhookChanges + 1 },
    },
  }
}

/** @returns false when there is no such account. */
export async function rename(accountId: string, name: string): Promise<boolean> {
  return await change(accountId, "SET #name = :name", { ":name": name })
}

/** @returns false when there is no such account. */
export async function setPasskeyOnly(accountId: string, isSo: boolean): Promise<boolean> {
  return await change(accountId, "SET passkey_only = :so", { ":so": isSo })
}

/** @returns false when there is no such account. */
export async function setBridgeLimit(accountId: string, limit: number): Promise<boolean> {
  return await change(accountId, "SET bridge_limit = :limit", { ":limit": limit })
}

/** Lets the people of an account see every account. @returns false when there is no such account. */
export async function makeOperator(accountId: string): Promise<boolean> {
  return await change(accountId, "SET #operator = :yes", { ":yes": true })
}

/**
 * Whether an account's bridges may run while it has this subscription. `none` by the operator's word means:
 * no further bridges. From Stripe it means that nothing is paid.
 */
export function mayRun({ isByHand }: Pick<Info, "isByHand">, subscription: Subscription): boolean {
  if (subscription === "none") return isByHand
  return subscription !== "unpaid" && subscription !== "canceled"
}

/** Why an account may not have another bridge (Contract, "Subscription" and "Bridges"). */
export function whyNoBridge(row: Row): ApiError {
  if (!("pk" in row)) return new ApiError("unauthorized", "this account has been deleted")
  const account = fromRow(row)
  const urls = { dashboard_url: config.DASHBOARD_URL, billing_url: Billing.url() }
  switch (account.subscription) {
    case "none":
      return new ApiError("no_subscription", subscriptionMissing(), { fields: urls })
    case "canceled":
      return new ApiError("no_subscription", "the subscription of this account has ended: begin a new one", {
        fields: urls,
      })
    case "past_due":
    case "unpaid":
      return new ApiError("payment_required", undefined, Billing.isOn() ? { fields: urls } : {})
    case "active":
    case "trialing":
      return new ApiError("bridge_limit_reached", bridgeLimitSentence(account.bridgeLimit))
  }
}

/** Contract, "Subscription": it is obtained in the dashboard, if the service has one. */
function subscriptionMissing(): string {
  return config.DASHBOARD_URL === ""
    ? "this account has no subscription yet: ask the operator of this service for one"
    : sentences.no_subscription
}

async function change(
  accountId: string,
  expression: string,
  values: Row,
  condition?: string,
): Promise<boolean> {
  const used = ownWords.filter((word) => expression.includes(`#${word}`))
  const row = await updateRow({
    TableName: tables.accounts,
    Key: key(accountId),
    UpdateExpression: expression,
    ConditionExpression: ["attribute_exists(pk)", ...(condition === undefined ? [] : [condition])].join(
      " AND ",
    ),
    // DynamoDB refuses a name that the expression does not use.
    ...(used.length > 0 && {
      ExpressionAttributeNames: Object.fromEntries(used.map((word) => [`#${word}`, word])),
    }),
    ExpressionAttributeValues: values,
  })
  return "now" in row
}

/** Attributes whose names are words of DynamoDB's own: an expression writes them with a `#`. */
const ownWords = ["operator", "name"]

function toRow(account: Info): Row {
  return {
    ...key(account.id),
    id: account.id,
    name: account.name,
    subscription: account.subscription,
    ...(account.isByHand && { by_hand: true }),
    bridge_limit: account.bridgeLimit,
    bridges: account.bridges,
    created_at: account.createdAt,
  }
}

function fromRow(row: Row): Info {
  return Info.parse({
    ...row,
    bridgeLimit: row.bridge_limit,
    createdAt: row.created_at,
    isByHand: row.by_hand ?? false,
    isOperator: row.operator ?? false,
    isPasskeyOnly: row.passkey_only,
    webhookChanges: row.webhook_changes,
  })
}
