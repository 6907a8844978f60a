import { randomInt } from "node:crypto"
import { Delivery } from "../event/delivery.ts"
import { EventLists } from "../event/event-lists.ts"
import { Lease } from "../lease/lease.ts"
import { nowMs } from "../platform/clock.ts"

/** More events than a bridge can append in a second. */
const eventsEachSecond = 1000
/** So long counts as lost beside: the clock may have been set back since the copy. */
const spareMs = 3_600_000
/** More than this does not count: the clock may be years ahead, and numbers are finite. */
const mostMs = 400 * 86_400_000
/**
 * The part of the leap by chance is below this. One copy may be restored twice, and then no number may come
 * twice.
 */
const chance = 1_000_000_000

/**
 * Marks a bridge whose rows came back from a copy of that time (Unix ms): what was written since is unknown.
 * Its next session makes anew what must not be used twice, and its events go on beyond every number that may
 * have been used. May be repeated.
 * @returns false when there is no such bridge
 */
export async function markRestored(bridgeId: string, copiedMs: number): Promise<boolean> {
  const deliveries = await Delivery.ofBridge(bridgeId)
  if (deliveries.length === 0) return false
  const lost = await numbersSince(deliveries, copiedMs)
  for (const delivery of deliveries) await Delivery.skipNumbers(delivery, lost)
  // Last: a session that sees this mark finds the numbers to go on from.
  return await Lease.makeAnew(bridgeId)
}

/**
 * The numbers that events of a bridge may have got since that time (Unix ms), where no row here tells of it.
 */
export async function numbersSince(deliveries: Delivery.Info[], sinceMs: number): Promise<Delivery.Skipped> {
  const [{ bridgeId } = { bridgeId: "" }] = deliveries
  const after = Math.max(
    await EventLists.newestNumber(bridgeId),
    ...deliveries.map(Delivery.highestNumberUsed),
  )
  const lostMs = spareMs + Math.min(mostMs, Math.max(0, nowMs() - sinceMs))
  return { after, to: after + Math.ceil((lostMs / 1000) * eventsEachSecond) + randomInt(chance) }
}
