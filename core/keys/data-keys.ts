export * as DataKeys from "./data-keys.ts"

import { LRUCache } from "lru-cache"
import { z } from "zod"
import { Bytes, getRow, type Row } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { newWrappedDataKey, type Owner, type Purpose, unwrap } from "./wrapping.ts"

/** Both data keys of a bridge, for the host that holds it. */
export interface Info {
  session: Uint8Array
  delivery: Uint8Array
  /** The account, if the bridge is its sandbox. */
  sandboxOf: string | undefined
}

const Stored = z.object({
  account_id: z.string(),
  session_key: Bytes,
  delivery_key: Bytes,
  sandbox: z.boolean().default(false),
})

/** By what is unwrapped, in base64: a bridge that was deleted and moves in again has other keys. */
const opened = new LRUCache<string, Map<string, Uint8Array>>({ max: 10_000, ttl: 5 * 60_000 })

/** The key of the row that holds both, wrapped. */
export function rowKey(bridgeId: string) {
  return { pk: `BRIDGE#${bridgeId}`, sk: "KEYS" }
}

/** The row of a new bridge. Its session key is made here, and only hosts can unwrap it. */
export async function newRow(owner: Owner, deliveryKey: Uint8Array, isSandbox: boolean): Promise<Row> {
  const session = await newWrappedDataKey("session", owner)
  return rowOf(owner, { session, delivery: deliveryKey }, isSandbox)
}

/** The row that holds these wrapped data keys. */
export function rowOf(owner: Owner, keys: Record<Purpose, Uint8Array>, isSandbox: boolean): Row {
  return {
    ...rowKey(owner.bridgeId),
    account_id: owner.accountId,
    session_key: keys.session,
    delivery_key: keys.delivery,
    ...(isSandbox && { sandbox: true }),
  }
}

/** @returns undefined once the bridge is deleted. */
export async function get(bridgeId: string): Promise<Info | undefined> {
  const found = await getRow(tables.leases, rowKey(bridgeId))
  if (!found) return undefined
  const stored = Stored.parse(found)
  const owner: Owner = { accountId: stored.account_id, bridgeId }
  const [session, delivery] = await Promise.all([
    unwrapped("session", owner, stored.session_key),
    unwrapped("delivery", owner, stored.delivery_key),
  ])
  return { session, delivery, sandboxOf: stored.sandbox ? stored.account_id : undefined }
}

/**
 * A bridge's data key, cached for a few minutes.
 * @throws as `unwrap` in `wrapping.ts` does
 */
export async function unwrapped(purpose: Purpose, owner: Owner, wrapped: Uint8Array): Promise<Uint8Array> {
  const name = nameOf(purpose, owner.bridgeId)
  const text = Buffer.from(wrapped).toString("base64")
  const known = opened.get(name)?.get(text)
  if (known) return known
  const dataKey = await unwrap(purpose, owner, wrapped)
  opened.set(name, new Map(opened.get(name)).set(text, dataKey))
  return dataKey
}

/** Drops the cached keys of a deleted bridge. */
export function forget(bridgeId: string): void {
  for (const purpose of ["session", "delivery"] as const) opened.delete(nameOf(purpose, bridgeId))
}

function nameOf(purpose: Purpose, bridgeId: string): string {
  return `${purpose}/${bridgeId}`
}
