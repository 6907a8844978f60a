import { Account } from "../account/account.ts"
import { Billing } from "../billing/mode-and-urls.ts"
import { Due } from "../billing/due.ts"
import { Payer } from "../billing/payer.ts"
import { ApiError } from "../error.ts"
import { freshLease, runningLease } from "../lease/call-holder.ts"
import { Lease } from "../lease/lease.ts"
import type { Bridge } from "./bridge.ts"
import { tellHolder } from "./operator-stop-and-wake.ts"

/**
 * A bridge's own people pause it. It stays linked, and is paid for.
 * @throws ApiError `bridge_paused`, `bridge_suspended` when it is stopped for another reason, `not_found`
 */
export async function pause(bridgeId: string, requestId: string): Promise<void> {
  for (;;) {
    const before = await freshLease(bridgeId)
    if (await Lease.stopForCustomer(bridgeId)) return await tellHolder(before, requestId)
    const { reason } = await freshLease(bridgeId)
    if (reason === "customer") return
    // This throws why it is stopped. If it has been woken meanwhile, the next try stops it.
    await runningLease(bridgeId)
  }
}

/**
 * They let it run again.
 * @throws ApiError `payment_required` or `no_subscription` when its account does not pay, and as `pause` does
 */
export async function unpause(bridge: Bridge.Info): Promise<void> {
  await mustPay(bridge)
  if (!(await Lease.wakeForCustomer(bridge.id))) await runningLease(bridge.id)
  // The account may have ceased to pay in this moment: then the next look stops it again.
  if (await Payer.get(bridge.accountId)) await Due.put(bridge.accountId)
}

async function mustPay({ accountId, isSandbox }: Bridge.Info): Promise<void> {
  const account = Billing.isOn() && !isSandbox ? await Account.get(accountId) : undefined
  if (!account || Account.mayRun(account, account.subscription)) return
  throw new ApiError(account.subscription === "unpaid" ? "payment_required" : "no_subscription")
}
