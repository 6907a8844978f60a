import { z } from "zod"
import type { Account } from "../account/account.ts"
import { Bridge } from "../bridge/bridge.ts"
import { Delivery } from "../event/delivery.ts"
import { Receiver } from "../event/receiver.ts"
import { Bytes, getRow, type Key, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { DataKeys } from "./data-keys.ts"
import { type Owner, type Purpose, rewrap } from "./wrapping.ts"

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
  return await rewrapAt(await placesOf(bridge), { accountId: bridge.accountId, bridgeId: bridge.id })
}

/** As `rewrapKeys`, for the data keys of an account's webhooks. */
export async function rewrapKeysOfAccount({ id: accountId, webhooks }: Account.Info): Promise<number> {
  let count = 0
  for (const webhookId of webhooks) {
    const key = Receiver.key(Receiver.atAccount({ accountId, webhookId }))
    const place = { table: tables.events, key, purpose: "delivery" as const }
    count += await rewrapAt([place], Receiver.ownerAtAccount({ accountId, webhookId }))
  }
  return count
}

async function rewrapAt(places: Awaited<ReturnType<typeof placesOf>>, owner: Owner): Promise<number> {
  let count = 0
  for (const { table, key, purpose } of places) {
    const name = `${purpose}_key`
    const row = await getRow(table, key)
    const old = z.object({ [name]: Bytes.optional() }).parse(row ?? {})[name]
    if (!old) continue
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
