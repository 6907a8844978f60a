import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { Lease } from "#core/lease/lease.ts"
import { batchWrite, query, removeRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"

/** How many rows one request removes. */
const together = 25

/**
 * Removes every row of a deleted bridge, unless another host does. The lease goes last, so that another host
 * finishes the work if this one dies.
 * @returns false if another host removes the rows, or if this one had to stop before the end
 */
export async function removeBridge(
  bridgeId: string,
  hostId: string,
  stopping: AbortSignal,
): Promise<boolean> {
  let until = 0
  const isOurs = async () => {
    // Renewed early: a late renewal would let another host remove the same rows.
    if (Lease.removalClaimLeft(until) > 30) return true
    until = (await Lease.claimRemoval(bridgeId, hostId)) ?? 0
    return until > 0
  }
  const goesOn = async () => !stopping.aborted && (await isOurs())
  for (const table of [tables.sessions, tables.events])
    if (!(await removeAll(table, `BRIDGE#${bridgeId}`, goesOn))) return false
  await BridgeLog.remove(bridgeId)
  await removeRow({ TableName: tables.leases, Key: Lease.key(bridgeId) })
  return true
}

/** @returns whether all rows are removed */
async function removeAll(table: string, pk: string, goesOn: () => Promise<boolean>): Promise<boolean> {
  const rows = query({
    TableName: table,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": pk },
    ProjectionExpression: "pk, sk",
  })
  if (!(await goesOn())) return false
  let some: { table: string; remove: { pk: string; sk: string } }[] = []
  for await (const { sk } of rows) {
    some.push({ table, remove: { pk, sk: String(sk) } })
    if (some.length < together) continue
    await batchWrite(some)
    some = []
    if (!(await goesOn())) return false
  }
  await batchWrite(some)
  return true
}
