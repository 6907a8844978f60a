export * as BridgeCount from "./bridge-count.ts"

import { Account } from "../account/account.ts"
import { Billing } from "../account/billing.ts"
import type { Row, Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"

// The writes that count an account's bridges, and so what it pays for. A sandbox is not counted, but its
// account must be there.

interface Counted {
  accountId: string
  isSandbox: boolean
}

/** Whether an account may have one bridge more, by the rule of `creating`. */
export function hasRoom({ subscription, bridges, bridgeLimit }: Account.Info): boolean {
  return (subscription === "active" || subscription === "trialing") && bridges < bridgeLimit
}

/** The writes that count one bridge more, if the account may have it. */
export async function creating(bridge: Counted): Promise<Write[]> {
  const count = counting(bridge, 1, {
    ConditionExpression: "subscription IN (:active, :trialing) AND bridges < bridge_limit",
    ExpressionAttributeValues: { ":active": "active", ":trialing": "trialing" },
  })
  return [bridge.isSandbox ? isThere(bridge) : count, ...(await changingBill(bridge))]
}

/**
 * The writes that count a bridge from another service or gateway. Its operator moves it, so the limit is not
 * checked here: that is for who begins (`admin/move-in/move-in.ts`).
 * @param isNew the bridge was never here, so the count rises
 */
export async function arriving(bridge: Counted, isNew: boolean): Promise<Write[]> {
  const count = counting(bridge, 1, { ConditionExpression: "attribute_exists(pk)" })
  return [isNew ? count : isThere(bridge), ...(await changingBill(bridge))]
}

/** The writes that count one bridge less. */
export async function removing(bridge: Counted): Promise<Write[]> {
  return bridge.isSandbox ? [] : [counting(bridge, -1), ...(await changingBill(bridge))]
}

/** The writes for a bridge that leaves for another service or comes back: only what is paid changes. */
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
