import { Billing } from "../account/billing.ts"
import { Lease } from "../lease/lease.ts"
import { notifyHolder } from "../lease/notify-holder.ts"
import { Bridge } from "./bridge.ts"

/**
 * The operator suspends a bridge, whatever else it is stopped for.
 * @returns false when there is no such bridge, or it is suspended already
 */
export async function suspend(bridgeId: string): Promise<boolean> {
  const before = await Lease.get(bridgeId)
  return (await Lease.stop(bridgeId, "suspended")) && (await ended(bridgeId, before))
}

/**
 * The operator pauses a bridge, whatever else it is stopped for.
 * @returns false when there is no such bridge, or the operator has paused it already
 */
export async function pauseForOperator(bridgeId: string): Promise<boolean> {
  const before = await Lease.get(bridgeId)
  return (await Lease.stop(bridgeId, "operator")) && (await ended(bridgeId, before))
}

async function ended(bridgeId: string, before: Lease.Info | undefined): Promise<true> {
  if (before) await notifyHolder(before)
  await due(bridgeId)
  return true
}

/**
 * The operator ends these reasons why a bridge is stopped. If there is no other, it runs again. Where it is
 * paid for, a look at Stripe follows, which stops it again if it is not paid for.
 * @returns false when it was stopped for none of them
 */
export async function wake(bridgeId: string, ...reasons: Lease.Reason[]): Promise<boolean> {
  if (!(await Lease.wake(bridgeId, ...reasons))) return false
  await due(bridgeId)
  return true
}

/** The account's price may change: a suspended bridge costs nothing, and one that was woken must be paid. */
async function due(bridgeId: string): Promise<void> {
  const bridge = await Bridge.byId(bridgeId)
  if (bridge) await Billing.noteChange(bridge.accountId)
}
