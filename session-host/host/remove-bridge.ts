import { BridgeLog } from "#core/bridge-log.ts"
import { query, remove } from "#core/store.ts"
import { Lease } from "#core/lease.ts"
import { events, leases, sessions } from "#core/tables.ts"

/**
 * Removes every row of a deleted bridge: the lease last, so that whoever dies in between is followed by another.
 * @returns false when it was to stop before it was done.
 */
export async function removeBridge(bridgeId: string, stopping: AbortSignal): Promise<boolean> {
  for (const table of [sessions, events]) await removeAll(table, `BRIDGE#${bridgeId}`, stopping)
  if (stopping.aborted) return false
  await BridgeLog.remove(bridgeId)
  await remove({ TableName: leases, Key: Lease.key(bridgeId) })
  return true
}

async function removeAll(table: string, pk: string, stopping: AbortSignal): Promise<void> {
  const rows = query({
    TableName: table,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": pk },
    ProjectionExpression: "pk, sk",
  })
  for await (const { sk } of rows) {
    if (stopping.aborted) return
    await remove({ TableName: table, Key: { pk, sk: String(sk) } })
  }
}
