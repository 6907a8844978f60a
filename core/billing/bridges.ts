import { randomUUID } from "node:crypto"
import { Bridge } from "../bridge/bridge.ts"
import { remove } from "../bridge/remove.ts"
import { Lease } from "../lease/lease.ts"
import { now } from "../platform/clock.ts"
import { log } from "../platform/log.ts"
import { Payer } from "./payer.ts"

/** How long the bridges of an account that does not pay keep their data, in seconds. */
export const keptFor = 30 * 86_400
/** How long a number waits for its account to subscribe, in seconds: as long as a page of Checkout is open. */
const wantedFor = 86_400

/** The bridges that an account pays for. */
export async function paidBridges(accountId: string): Promise<Bridge.Info[]> {
  return (await Bridge.list(accountId)).filter(({ isSandbox }) => !isSandbox)
}

/** Stops an account's bridges, or lets those run that were stopped for this. After 30 days without payment they are deleted. */
export async function letBridges(payer: Payer.Info, mayRun: boolean): Promise<void> {
  const isLost = payer.stoppedAt !== undefined && payer.stoppedAt + keptFor < now()
  for (const bridge of await paidBridges(payer.accountId)) {
    const { id: bridgeId } = bridge
    if (mayRun && (await Lease.wake(bridgeId, "billing"))) log.info({ bridgeId }, "paid: the bridge runs")
    if (!mayRun && (await Lease.stopUnpaid(bridgeId))) log.info({ bridgeId }, "unpaid: bridge paused")
    if (!isLost) continue
    // Somebody may have paid in this moment: whatever was written since this look says so.
    if ((await Payer.get(payer.accountId))?.version !== payer.version) return
    await remove(bridge, randomUUID())
  }
}

/** Whether the number that was wanted still is: it has not been created, and was asked for within a day. */
export async function isStillWanted({ accountId, wanted }: Payer.Info): Promise<boolean> {
  if (!wanted || wanted.at + wantedFor < now()) return false
  return (await paidBridges(accountId)).every(({ customerRef }) => customerRef !== wanted.customerRef)
}

/** How many bridges an account is to pay for: those that its operator has suspended cost nothing. */
export async function countPaid(accountId: string): Promise<number> {
  const leases = await Promise.all((await paidBridges(accountId)).map(({ id }) => Lease.get(id)))
  return leases.filter((lease) => lease && Lease.stateOf(lease) !== "suspended").length
}
