import { randomUUID } from "node:crypto"
import { ApiError } from "#core/error.ts"
import { callHost } from "./call-host.ts"
import { Lease } from "./lease.ts"

/**
 * A holder is fenced already. Notified, it closes its socket at once instead of at its next comparison of
 * leases.
 */
export async function notifyHolder(before: Lease.Info, requestId: string = randomUUID()): Promise<void> {
  if (!Lease.isHeld(before)) return
  const call = { method: "POST", path: "/look-at-lease", bridgeId: before.bridgeId, requestId } as const
  try {
    await callHost(before, call, 2000)
  } catch (error) {
    // It sees that for itself within half a minute.
    if (!(error instanceof ApiError)) throw error
  }
}
