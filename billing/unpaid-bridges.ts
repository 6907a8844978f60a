import { randomUUID } from "node:crypto"
import { remove } from "#core/bridge/remove.ts"
import { Lease } from "#core/lease/lease.ts"
import { notifyHolder } from "#core/lease/notify-holder.ts"
import { now } from "#core/platform/clock.ts"
import { log } from "#core/platform/log.ts"
import { billableBridges } from "./billable-bridges.ts"
import { Payer } from "./payer.ts"

/** How long the bridges of an account that does not pay keep their data, in seconds. */
export const keptUnpaidFor = 30 * 86_400

/**
 * Stops an account's bridges, or wakes those that were stopped for billing. After 30 days without payment
 * they are deleted.
 */
export async function pauseOrResumeBridges(
  payer: Pick<Payer.Info, "accountId" | "stoppedAt" | "version">,
  mayRun: boolean,
): Promise<void> {
  const isLost = payer.stoppedAt !== undefined && payer.stoppedAt + keptUnpaidFor < now()
  for (const bridge of await billableBridges(payer.accountId)) {
    const { id: bridgeId } = bridge
    if (mayRun && (await Lease.wake(bridgeId, "billing"))) log.info({ bridgeId }, "paid: the bridge runs")
    if (!mayRun) await stop(bridgeId)
    if (!isLost) continue
    // The customer may have paid at this moment: then the row was written after this look.
    if ((await Payer.get(payer.accountId))?.version !== payer.version) return
    await remove(bridge, randomUUID())
  }
}

async function stop(bridgeId: string): Promise<void> {
  const before = await Lease.get(bridgeId)
  if (!(await Lease.stop(bridgeId, "billing"))) return
  log.info({ bridgeId }, "unpaid: bridge paused")
  if (before) await notifyHolder(before)
}
