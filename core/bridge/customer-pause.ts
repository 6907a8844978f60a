import { Account } from "../account/account.ts"
import { Billing } from "../account/billing.ts"
import { ApiError } from "../error.ts"
import { freshLease, wakeOrRefuse } from "../lease/call-holder.ts"
import { Lease } from "../lease/lease.ts"
import { notifyHolder } from "../lease/notify-holder.ts"
import type { Bridge } from "./bridge.ts"

/**
 * A bridge's own people pause it. It stays linked, and is paid for.
 * @throws ApiError `bridge_paused`, `bridge_suspended` when it is stopped for another reason, `not_found`
 */
export async function pause(bridgeId: string, requestId: string): Promise<void> {
  const before = await freshLease(bridgeId)
  const why = Lease.whyStopped(before)
  if (why !== "customer" && why !== "idle") await wakeOrRefuse(bridgeId)
  if (await Lease.stop(bridgeId, "customer")) await notifyHolder(before, requestId)
}

/**
 * A bridge's own people let it run again.
 * @throws ApiError `payment_required` or `no_subscription` when its account does not pay, and as `pause` does
 */
export async function unpause(bridge: Bridge.Info): Promise<void> {
  await mustPay(bridge)
  const why = Lease.whyStopped(await freshLease(bridge.id))
  if (why === "customer") await Lease.wake(bridge.id, "customer", "idle")
  else await wakeOrRefuse(bridge.id)
  // The account may have ceased to pay in this moment: then the next look stops it again.
  await Billing.noteChange(bridge.accountId)
}

async function mustPay({ accountId, isSandbox }: Bridge.Info): Promise<void> {
  const account = Billing.isOn() && !isSandbox ? await Account.get(accountId) : undefined
  if (!account || Account.mayRun(account, account.subscription)) return
  throw new ApiError(account.subscription === "unpaid" ? "payment_required" : "no_subscription")
}
