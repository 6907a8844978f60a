export * as BridgeCount from "./bridge-count.ts"

import { Account } from "../account/account.ts"
import { Billing } from "../billing.ts"
import type { Row, Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"

// How many bridges an account has, and with it what it pays for: the writes that belong to a change. A sandbox is not
// counted, but its account must be there.

interface Counted {
  accountId: string
  isSandbox: boolean
}

/** One more, if the account may have it. */
export async function created(bridge: Counted): Promise<Write[]> {
  const count = counting(bridge, 1, {
    ConditionExpression: "subscription IN (:active, :trialing) AND bridges < bridge_limit",
    ExpressionAttributeValues: { ":active": "active", ":trialing": "trialing" },
  })
  return [bridge.isSandbox ? isThere(bridge) : count, ...(await billed(bridge))]
}

/** One that comes from another service. Its operator moves it: no limit is asked. `isNew`: it was never here. */
export async function arrived(bridge: Counted, isNew: boolean): Promise<Write[]> {
  const count = counting(bridge, 1, { ConditionExpression: "attribute_exists(pk)" })
  return [isNew ? count : isThere(bridge), ...(await billed(bridge))]
}

/** One less. */
export async function removed(bridge: Counted): Promise<Write[]> {
  return bridge.isSandbox ? [] : [counting(bridge, -1), ...(await billed(bridge))]
}

/** Only what has to be paid changes: it leaves for another service, or comes back. */
export async function billed(bridge: Counted): Promise<Write[]> {
  return Billing.isOn() && !bridge.isSandbox ? await Billing.changing(bridge.accountId) : []
}

function isThere({ accountId }: Counted): Write {
  return {
    ConditionCheck: {
      TableName: tables.accounts,
      Key: Account.key(accountId),
      ConditionExpression: "attribute_exists(pk)",
    },
  }
}

function counting(
  { accountId }: Counted,
  by: 1 | -1,
  condition: { ConditionExpression?: string; ExpressionAttributeValues?: Row } = {},
): Write {
  return {
    Update: {
      TableName: tables.accounts,
      Key: Account.key(accountId),
      UpdateExpression: "ADD bridges :by",
      ...condition,
      ExpressionAttributeValues: { ...condition.ExpressionAttributeValues, ":by": by },
    },
  }
}
