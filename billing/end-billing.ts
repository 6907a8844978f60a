import { Account } from "#core/account/account.ts"
import { Lease } from "#core/lease/lease.ts"
import { log } from "#core/platform/log.ts"
import { billableBridges } from "./billable-bridges.ts"
import { Payer } from "./payer.ts"

/** Counts of the accounts and bridges that are not paid for any more. */
export interface Freed {
  /** Accounts that may have bridges again, up to their limit. */
  accounts: number
  /** Bridges that run again. */
  bridges: number
  /** Subscriptions that Stripe goes on charging, as far as is known here. */
  charged: number
}

/**
 * Billing was turned off: bridges that waited for a payment run, and accounts that followed Stripe need no
 * subscription. How long they had not paid is forgotten. If billing is turned on again, the first look says
 * what they have at Stripe. This may be repeated. Stripe is not asked: there may be no key for it any more.
 */
export async function endBilling(): Promise<Freed> {
  const freed: Freed = { accounts: 0, bridges: 0, charged: 0 }
  for (const account of await Account.list()) {
    const payer = await Payer.get(account.id)
    if (!payer) continue
    const { said, pastDueSince, stoppedAt } = payer
    if (said && !["canceled", "incomplete_expired"].includes(said.status)) freed.charged += 1
    if ((pastDueSince ?? stoppedAt) !== undefined)
      await Payer.change(payer, { pastDueSince: undefined, stoppedAt: undefined })
    if (
      !account.isByHand &&
      account.subscription !== "active" &&
      (await Account.activateWithoutPayment(account.id))
    )
      freed.accounts += 1
    for (const { id } of await billableBridges(account.id))
      if (await Lease.wake(id, "billing")) freed.bridges += 1
  }
  if (freed.charged > 0)
    log.warn(
      { ...freed },
      "billing was turned off, but Stripe goes on charging: cancel the subscriptions there",
    )
  else if (freed.accounts + freed.bridges > 0)
    log.info({ ...freed }, "billing was turned off: nobody pays any more")
  return freed
}
