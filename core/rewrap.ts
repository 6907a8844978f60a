import { z } from "zod"
import { Bridge } from "./bridge.ts"
import { DataKeys } from "./data-keys.ts"
import { Receiver } from "./receiver.ts"
import { Bytes, get, type Key, update } from "./store.ts"
import { accounts, events, leases } from "./tables.ts"
import { type Purpose, rewrap } from "./wrapping.ts"

/**
 * Where the wrapped data keys of a bridge stand: one of them three times, for as many sorts of readers. What deliverers
 * read comes last: it is copied from the bridge's own.
 */
function placesOf(bridge: Bridge.Info): { table: string; key: Key; purpose: Purpose }[] {
  const keys = { table: leases, key: DataKeys.key(bridge.id) }
  const own = { table: accounts, key: Bridge.key(bridge.accountId, bridge.customerRef) }
  return [
    { ...keys, purpose: "session" },
    { ...keys, purpose: "delivery" },
    { ...own, purpose: "delivery" },
    { table: events, key: Receiver.key(bridge.id), purpose: "delivery" },
  ]
}

/**
 * Wraps the data keys of a bridge anew, after a rotation of the wrapping keys. Each is one write, and each wrapping that
 * was ever made opens: whoever is interrupted begins again.
 * @returns how many were wrapped anew; fewer than four when the bridge was deleted meanwhile, or is one of before that
 * had no event yet.
 */
export async function rewrapKeys(bridge: Bridge.Info): Promise<number> {
  let count = 0
  for (const { table, key, purpose } of placesOf(bridge)) {
    const name = `${purpose}_key`
    const row = await get(table, key)
    const old = z.object({ [name]: Bytes.optional() }).parse(row ?? {})[name]
    if (!old) continue
    const owner = { accountId: bridge.accountId, bridgeId: bridge.id }
    const written = await update({
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
