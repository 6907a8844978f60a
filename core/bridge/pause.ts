import { Account } from "../account/account.ts"
import { Billing } from "../billing/billing.ts"
import { Due } from "../billing/due.ts"
import { Payer } from "../billing/payer.ts"
import { ApiError } from "../error.ts"
import { callHost } from "../lease/call.ts"
import { freshLease, runningLease } from "../lease/call-holder.ts"
import { Lease } from "../lease/lease.ts"
import type { Bridge } from "./bridge.ts"

/**
 * A bridge's own people pause it. It stays linked, and is paid for.
 * @throws ApiError `bridge_paused`, `bridge_suspended` when it is stopped for another reason, `not_found`
 */
export async function pause(bridgeId: string, requestId: string): Promise<void> {
  const before = await freshLease(bridgeId)
  if (await Lease.stopForCustomer(bridgeId)) return await tellHolder(before, requestId)
  const { reason } = await freshLease(bridgeId)
  if (reason !== "customer") await runningLease(bridgeId)
}

/**
 * They let it run again.
 * @throws ApiError `payment_required` or `no_subscription` when its account does not pay, and as `pause` does
 */
export async function unpause(bridge: Bridge.Info): Promise<void> {
  await mustPay(bridge)
  if (!(await Lease.wake(bridge.id, "customer"))) await runningLease(bridge.id)
  // The account may have ceased to pay in this moment: then the next look stops it again.
  if (await Payer.get(bridge.accountId)) await Due.put(bridge.accountId)
}

async function mustPay({ accountId, isSandbox }: Bridge.Info): Promise<void> {
  const account = Billing.isOn() && !isSandbox ? await Account.get(accountId) : undefined
  if (!account || Account.mayRun(account, account.subscription)) return
  throw new ApiError(account.subscription === "unpaid" ? "payment_required" : "no_subscription")
}

/** A holder is fenced already. Told about it, it closes its socket at once instead of at its next comparison of leases. */
export async function tellHolder(before: Lease.Info, requestId: string): Promise<void> {
  if (!Lease.isHeld(before)) return
  const call = { method: "POST", path: "/look-at-lease", bridgeId: before.bridgeId, requestId } as const
  try {
    await callHost(before, call, 2000)
  } catch (error) {
    // Its own comparison tells it within half a minute.
    if (!(error instanceof ApiError)) throw error
  }
}
