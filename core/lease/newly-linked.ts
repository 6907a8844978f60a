export * as NewlyLinked from "./newly-linked.ts"

import { now } from "../platform/clock.ts"
import { query, removeRow, type Write } from "../store/store.ts"
import { bridgeIdOf, tables } from "../store/tables.ts"

/** The partition of bridges to which another phone was linked. Hosts add to it, and billing takes from it. */
const all = "PHONE#NEW"

/** How long a bridge stays on the list where nobody reads it, in seconds. Billing reads it each minute. */
const keptFor = 86_400

/** The write that puts a bridge on the list. It belongs to the transaction that makes the phone known. */
export function adding(bridgeId: string): Write {
  return {
    Update: {
      TableName: tables.leases,
      Key: key(bridgeId),
      UpdateExpression: "SET expires_at = :expires",
      ExpressionAttributeValues: { ":expires": now() + keptFor },
    },
  }
}

/** The ids of the bridges on the list. */
export async function list(): Promise<string[]> {
  const rows = query({
    TableName: tables.leases,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :all",
    ExpressionAttributeValues: { ":all": all },
  })
  return await Array.fromAsync(rows, ({ sk }) => bridgeIdOf(sk))
}

/** Takes a bridge from the list. */
export async function remove(bridgeId: string): Promise<void> {
  await removeRow({ TableName: tables.leases, Key: key(bridgeId) })
}

function key(bridgeId: string) {
  return { pk: all, sk: `BRIDGE#${bridgeId}` }
}
