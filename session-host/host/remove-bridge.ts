import { DeleteCommand } from "@aws-sdk/lib-dynamodb"
import { BridgeLog } from "#core/bridge-log.ts"
import { query, store } from "#core/store.ts"
import { Lease } from "#core/lease.ts"
import { events, leases, sessions } from "#core/tables.ts"

/** Removes every row of a deleted bridge: the lease last, so that whoever dies in between is followed by another. */
export async function removeBridge(bridgeId: string): Promise<void> {
  for (const table of [sessions, events]) await removeAll(table, `BRIDGE#${bridgeId}`)
  await BridgeLog.remove(bridgeId)
  await store.send(new DeleteCommand({ TableName: leases, Key: Lease.key(bridgeId) }))
}

async function removeAll(table: string, pk: string): Promise<void> {
  const rows = query({
    TableName: table,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": pk },
    ProjectionExpression: "pk, sk",
  })
  for await (const { pk, sk } of rows)
    await store.send(new DeleteCommand({ TableName: table, Key: { pk, sk } }))
}
