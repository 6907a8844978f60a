import { z } from "zod"
import { Bridge } from "../bridge/bridge.ts"
import { Delivery } from "../event/delivery.ts"
import { Bytes, getRow, type Key, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { DataKeys } from "./data-keys.ts"
import { type Purpose, rewrap } from "./wrapping.ts"

/**
 * The rows that hold a bridge's wrapped data keys. The delivery key is in one row for each kind of reader.
 * The deliverers' rows, one for each webhook, come last, since they are copied from the bridge's own.
 */
async function placesOf(bridge: Bridge.Info): Promise<{ table: string; key: Key; purpose: Purpose }[]> {
  const keys = { table: tables.leases, key: DataKeys.rowKey(bridge.id) }
  const own = { table: tables.accounts, key: Bridge.key(bridge.accountId, bridge.customerRef) }
  return [
    { ...keys, purpose: "session" },
    { ...keys, purpose: "delivery" },
    { ...own, purpose: "delivery" },
    ...(await Delivery.ofBridge(bridge.id)).map((delivery) => {
      return { table: tables.events, key: Delivery.key(delivery), purpose: "delivery" as const }
    }),
  ]
}

/**
 * Wraps the data keys of a bridge again, after the wrapping keys were rotated. Each key is one write, and old
 * wrappings still open, so an interrupted run may simply be repeated.
 * @returns how many were rewrapped: three and one for each webhook; fewer when the bridge was deleted
 * meanwhile, or is from an earlier release and has had no event yet.
 */
export async function rewrapKeys(bridge: Bridge.Info): Promise<number> {
  let count = 0
  for (const { table, key, purpose } of await placesOf(bridge)) {
    const name = `${purpose}_key`
    const row = await getRow(table, key)
    const old = z.object({ [name]: Bytes.optional() }).parse(row ?? {})[name]
    if (!old) continue
    const owner = { accountId: bridge.accountId, bridgeId: bridge.id }
    const written = await updateRow({
      TableName: table,
      Key: key,
      UpdateExpression: "SET #name = :new",
      ConditionExpression: "#name = :old",
      ExpressionAttributeNames: { "#name": name },
      ExpressionAttributeValues: { ":new": await rewrap(purpose, owner, old), ":old": old },
    })
    if ("now" in written) count++
  }
  return count
}
