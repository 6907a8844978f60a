export * as TrialChecks from "./trial-checks.ts"

import { now } from "../platform/clock.ts"
import { query, removeRow, updateRow } from "../store/store.ts"
import { bridgeIdOf, tables } from "../store/tables.ts"

/**
 * The partition of bridges to which another phone was linked, until billing has checked whether that phone
 * had a trial in another account.
 */
const all = "PHONE#NEW"

/** How long a bridge waits for its check, in seconds. Billing checks each minute, unless it is off by now. */
const keptFor = 86_400

/** Notes that another phone was linked to this bridge. */
export async function add(bridgeId: string): Promise<void> {
  await updateRow({
    TableName: tables.leases,
    Key: key(bridgeId),
    UpdateExpression: "SET expires_at = :expires",
    ExpressionAttributeValues: { ":expires": now() + keptFor },
  })
}

/** The ids of the bridges that wait for their check. */
export async function list(): Promise<string[]> {
  const rows = query({
    TableName: tables.leases,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :all",
    ExpressionAttributeValues: { ":all": all },
  })
  return await Array.fromAsync(rows, ({ sk }) => bridgeIdOf(sk))
}

/** Notes that billing has checked this bridge. */
export async function remove(bridgeId: string): Promise<void> {
  await removeRow({ TableName: tables.leases, Key: key(bridgeId) })
}

function key(bridgeId: string) {
  return { pk: all, sk: `BRIDGE#${bridgeId}` }
}
