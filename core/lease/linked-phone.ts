export * as LinkedPhone from "./linked-phone.ts"

import { open, seal } from "../keys/seal.ts"
import type { Info } from "./lease-row.ts"

/** The key that a phone's number is sealed for. The sealed number is in the lease's row. */
function itemOf(bridgeId: string) {
  return { pk: `BRIDGE#${bridgeId}`, sk: "PHONE" }
}

/** A phone's number (digits), sealed as the lease keeps it. */
export function sealed(phone: string, bridgeId: string, deliveryKey: Uint8Array): string {
  return Buffer.from(seal(deliveryKey, itemOf(bridgeId), phone)).toString("base64")
}

/** The number of the phone that is linked, or was last; `""` before the first. */
export function numberOf({ bridgeId, reported }: Info, deliveryKey: Uint8Array): string {
  if (reported?.phone === undefined) return ""
  return open(deliveryKey, itemOf(bridgeId), Buffer.from(reported.phone, "base64")).toString()
}
