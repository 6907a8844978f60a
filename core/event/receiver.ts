export * as Receiver from "./receiver.ts"

import { z } from "zod"
import { now } from "../platform/clock.ts"
import { DataKeys } from "../keys/data-keys.ts"
import { open, seal } from "../keys/seal.ts"
import { Bytes, type Row } from "../store/store.ts"
import type { Owner } from "../keys/wrapping.ts"

/**
 * Where a bridge's events go and what it takes to send them there: a copy of the bridge's own row, kept in its
 * `DELIVERY` row. Every change of that row returns it, so that no attempt has to read the bridge.
 */
const Info = z.object({
  accountId: z.string(),
  bridgeId: z.string(),
  /** `""` means the hosted inbox. */
  url: z.string(),
  /** Sealed for this row; `keysOf` opens it. */
  sealedSecret: Bytes,
  /** Wrapped; `keysOf` opens it. */
  deliveryKey: Bytes,
  /** The secret that was replaced, sealed for this row, and until when it signs as well. */
  before: z.object({ sealedSecret: Bytes, until: z.number().int() }).optional(),
})
export type Info = z.infer<typeof Info>

/** The sort key of the row that holds it. */
export const sortKey = "DELIVERY"

/** The key of the row that holds it, together with the progress of delivery. */
export function key(bridgeId: string) {
  return { pk: `BRIDGE#${bridgeId}`, sk: sortKey }
}

/** Builds a bridge's receiver from its secrets in the clear. */
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

/** The keys for posting an event. */
export interface Keys {
  /** They sign it: the bridge's secret, then the one that it replaces. */
  secrets: [string, ...string[]]
  /** It opens the body. */
  deliveryKey: Uint8Array
}

/** @throws as `unwrap` does */
export async function keysOf(receiver: Info): Promise<Keys> {
  const { before } = receiver
  const deliveryKey = await DataKeys.unwrapped("delivery", receiver, receiver.deliveryKey)
  const opened = (sealed: Uint8Array) => open(deliveryKey, key(receiver.bridgeId), sealed).toString()
  const older = before && before.until > now() ? [opened(before.sealedSecret)] : []
  return { secrets: [opened(receiver.sealedSecret), ...older], deliveryKey }
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

/** Parses its attributes in a stored row. */
export function fromRow(bridgeId: string, row: Row): Info {
  return Info.parse({
    bridgeId,
    accountId: row.account_id,
    url: row.webhook_url,
    sealedSecret: row.webhook_secret,
    deliveryKey: row.delivery_key,
    before: row.secret_before && { sealedSecret: row.secret_before, until: row.secret_before_until },
  })
}
