export * as Receiver from "./receiver.ts"

import { z } from "zod"
import { DataKeys } from "./data-keys.ts"
import { open, seal } from "./seal.ts"
import { Bytes, type Row } from "./store.ts"
import type { Owner } from "./wrapping.ts"

/**
 * Where a bridge's events go, and what it takes to send them there: a copy of what the bridge's own row says, kept in its
 * `DELIVERY` row. Each change of that row returns it, so that no attempt has to read the bridge.
 */
const Info = z.object({
  accountId: z.string(),
  bridgeId: z.string(),
  /** `""` is the hosted inbox. */
  url: z.string(),
  /** Sealed for this row: `keysOf` opens it. */
  sealedSecret: Bytes,
  /** Wrapped: `keysOf` opens it. */
  deliveryKey: Bytes,
})
export type Info = z.infer<typeof Info>

/** The key of the row that holds it, together with how far delivery has come. */
export function key(bridgeId: string) {
  return { pk: `BRIDGE#${bridgeId}`, sk: "DELIVERY" }
}

/** The receiver of a bridge, from what its owner may open. */
export function of(input: {
  owner: Owner
  url: string
  secret: string
  dataKey: Uint8Array
  /** The same data key, wrapped. */
  wrapped: Uint8Array
}): Info {
  const { owner, url, secret, dataKey, wrapped } = input
  return { ...owner, url, sealedSecret: seal(dataKey, key(owner.bridgeId), secret), deliveryKey: wrapped }
}

/** What it takes to post an event: the secret of the signature, and the key that opens the body. @throws as `unwrap` */
export async function keysOf(receiver: Info): Promise<{ secret: string; deliveryKey: Uint8Array }> {
  const deliveryKey = await DataKeys.unwrapped("delivery", receiver, receiver.deliveryKey)
  const secret = open(deliveryKey, key(receiver.bridgeId), receiver.sealedSecret).toString()
  return { secret, deliveryKey }
}

/** Its attributes in the row. */
export function toRow(receiver: Info): Row {
  return {
    account_id: receiver.accountId,
    webhook_url: receiver.url,
    webhook_secret: receiver.sealedSecret,
    delivery_key: receiver.deliveryKey,
  }
}

/** @returns undefined for a row of a service of before, which had none. */
export function fromRow(bridgeId: string, row: Row): Info | undefined {
  if (row.webhook_url === undefined) return undefined
  return Info.parse({
    bridgeId,
    accountId: row.account_id,
    url: row.webhook_url,
    sealedSecret: row.webhook_secret,
    deliveryKey: row.delivery_key,
  })
}
