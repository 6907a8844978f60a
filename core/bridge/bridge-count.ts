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

/** The writes that count one more, if the account may have it. */
export async function creating(bridge: Counted): Promise<Write[]> {
  const count = counting(bridge, 1, {
    ConditionExpression: "subscription IN (:active, :trialing) AND bridges < bridge_limit",
    ExpressionAttributeValues: { ":active": "active", ":trialing": "trialing" },
  })
  return [bridge.isSandbox ? isThere(bridge) : count, ...(await changingBill(bridge))]
}

/**
 * The writes that count one that comes from another service. Its operator moves it, so the limit is not checked.
 * @param isNew it was never here, so the count rises
 */
export async function arriving(bridge: Counted, isNew: boolean): Promise<Write[]> {
  const count = counting(bridge, 1, { ConditionExpression: "attribute_exists(pk)" })
  return [isNew ? count : isThere(bridge), ...(await changingBill(bridge))]
}

/** The writes that count one less. */
export async function removing(bridge: Counted): Promise<Write[]> {
  return bridge.isSandbox ? [] : [counting(bridge, -1), ...(await changingBill(bridge))]
}

/** The writes where only what is paid changes: it leaves for another service, or comes back. */
export async function changingBill(bridge: Counted): Promise<Write[]> {
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
