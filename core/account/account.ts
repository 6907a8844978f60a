export * as Account from "./account.ts"

import { randomUUID } from "node:crypto"
import { z } from "zod"
import { now } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { bridgeLimitReached, sentences } from "../contract/error-sentences.ts"
import { ApiError } from "../error.ts"
import { get as getRow, query, type Row, transact, update } from "../store/store.ts"
import { accounts } from "../store/tables.ts"

export const Subscription = z.enum(["none", "trialing", "active", "past_due"])
export type Subscription = z.infer<typeof Subscription>

export const Info = z.object({
  id: z.string(),
  name: z.string(),
  subscription: Subscription,
  bridgeLimit: z.number().int(),
  bridges: z.number().int(),
  createdAt: z.number().int(),
  /** Its people see every account: they run the service. */
  isOperator: z.boolean(),
})
export type Info = z.infer<typeof Info>

/** Contract, "Bridges per account" */
const bridgeLimit = 10

export function key(accountId: string) {
  return { pk: `ACCOUNT#${accountId}`, sk: "PROFILE" }
}

/** Creates an account. It has no subscription until an operator gives it one. */
export async function create(input: { name: string; subscription?: Subscription }): Promise<Info> {
  const account: Info = {
    id: randomUUID(),
    name: input.name,
    subscription: input.subscription ?? "none",
    bridgeLimit,
    bridges: 0,
    createdAt: now(),
    isOperator: false,
  }
  await transact([
    { Put: { TableName: accounts, Item: toRow(account), ConditionExpression: "attribute_not_exists(pk)" } },
    { Put: { TableName: accounts, Item: { pk: "ACCOUNTS", sk: account.id } } },
  ])
  return account
}

export async function get(accountId: string): Promise<Info | undefined> {
  const row = await getRow(accounts, key(accountId))
  return row && fromRow(row)
}

/** Every account of the service, for its operator. */
export async function list(): Promise<Info[]> {
  const found: Info[] = []
  const all = query({
    TableName: accounts,
    KeyConditionExpression: "pk = :all",
    ExpressionAttributeValues: { ":all": "ACCOUNTS" },
  })
  for await (const row of all) {
    const account = await get(z.string().parse(row.sk))
    if (account) found.push(account)
  }
  return found
}

/** @returns false when there is no such account. */
export async function setSubscription(accountId: string, subscription: Subscription): Promise<boolean> {
  return await set(accountId, "subscription", subscription)
}

/** @returns false when there is no such account. */
export async function setBridgeLimit(accountId: string, limit: number): Promise<boolean> {
  return await set(accountId, "bridge_limit", limit)
}

/** Lets the people of an account see every account. @returns false when there is no such account. */
export async function makeOperator(accountId: string): Promise<boolean> {
  return await set(accountId, "operator", true)
}

/** Deletes an account. @returns false when there is no such account, or it still has bridges. */
export async function remove(accountId: string): Promise<boolean> {
  const refused = await transact([
    {
      Delete: {
        TableName: accounts,
        Key: key(accountId),
        ConditionExpression: "bridges = :none",
        ExpressionAttributeValues: { ":none": 0 },
      },
    },
    { Delete: { TableName: accounts, Key: { pk: "ACCOUNTS", sk: accountId } } },
  ])
  return !refused
}

/** Why an account may not have another bridge (Contract, "Subscription" and "Bridges per account"). */
export function whyNoBridge(row: Row): ApiError {
  if (!("pk" in row)) return new ApiError("unauthorized", "this account has been deleted")
  const account = fromRow(row)
  switch (account.subscription) {
    case "none":
      return new ApiError("no_subscription", subscriptionMissing(), {
        fields: { dashboard_url: config.DASHBOARD_URL, billing_url: config.BILLING_URL },
      })
    case "past_due":
      return new ApiError("payment_required")
    case "active":
    case "trialing":
      return new ApiError("bridge_limit_reached", bridgeLimitReached(account.bridgeLimit))
  }
}

/** Contract, "Subscription": it is obtained in the dashboard, if the service has one. */
function subscriptionMissing(): string {
  return config.DASHBOARD_URL === ""
    ? "this account has no subscription yet: ask the operator of this service for one"
    : sentences.no_subscription
}

async function set(accountId: string, field: string, value: string | number | boolean): Promise<boolean> {
  const row = await update({
    TableName: accounts,
    Key: key(accountId),
    UpdateExpression: "SET #field = :value",
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeNames: { "#field": field },
    ExpressionAttributeValues: { ":value": value },
  })
  return "now" in row
}

function toRow(account: Info): Row {
  return {
    ...key(account.id),
    id: account.id,
    name: account.name,
    subscription: account.subscription,
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
    isOperator: row.operator ?? false,
  })
}
