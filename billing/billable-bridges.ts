import { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import { now } from "#core/platform/clock.ts"
import type { Payer } from "./payer.ts"

/**
 * How long a number waits for its account to subscribe, in seconds: as long as a page of Checkout is open.
 */
const wantedFor = 86_400

/** The bridges that count for billing: all but the sandbox. */
export async function billableBridges(accountId: string): Promise<Bridge.Info[]> {
  return (await Bridge.list(accountId)).filter(({ isSandbox }) => !isSandbox)
}

/** Whether the customer still wants the number: it has not been created, and was asked for within a day. */
export async function isNumberStillWanted({ accountId, wanted }: Payer.Info): Promise<boolean> {
  if (!wanted || wanted.at + wantedFor < now()) return false
  return (await billableBridges(accountId)).every(({ customerRef }) => customerRef !== wanted.customerRef)
}

/**
 * How many bridges an account is to pay for. Bridges that the operator has suspended, or that have moved,
 * cost nothing.
 */
export async function countToPay(accountId: string): Promise<number> {
  const leases = await Promise.all((await billableBridges(accountId)).map(({ id }) => Lease.get(id)))
  return leases.filter((lease) => lease && !["suspended", "moved"].includes(Lease.stateOf(lease))).length
}
