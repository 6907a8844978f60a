export * as TrialChecks from "./trial-checks.ts"

import { now } from "../platform/clock.ts"
import { query, removeRow, updateRow } from "../store/store.ts"
import { bridgeIdOf, tables } from "../store/tables.ts"

/** Bridges to which another phone was linked, until billing has looked whether it had a trial in another account. */
const all = "PHONE#NEW"

/** Billing looks each minute, unless it is off by now. In seconds. */
const keptFor = 86_400

/** Another phone was linked to this bridge. */
export async function add(bridgeId: string): Promise<void> {
  await updateRow({
    TableName: tables.leases,
    Key: key(bridgeId),
    UpdateExpression: "SET expires_at = :expires",
    ExpressionAttributeValues: { ":expires": now() + keptFor },
  })
}

/** The ids of these bridges. */
export async function list(): Promise<string[]> {
  const rows = query({
    TableName: tables.leases,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :all",
    ExpressionAttributeValues: { ":all": all },
  })
  return await Array.fromAsync(rows, ({ sk }) => bridgeIdOf(sk))
}

/** Billing has looked at this bridge. */
export async function remove(bridgeId: string): Promise<void> {
  await removeRow({ TableName: tables.leases, Key: key(bridgeId) })
}

function key(bridgeId: string) {
  return { pk: all, sk: `BRIDGE#${bridgeId}` }
}
