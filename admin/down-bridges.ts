import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { iso } from "#core/platform/clock.ts"
import type { Row } from "./verb.ts"

/** The bridges of all accounts that should be connected and are not, as far as their leases say. */
export async function downBridges(): Promise<Row[]> {
  const hosts = new Map((await Host.list()).map((host) => [host.id, host]))
  const found: Row[] = []
  for (const { id: account } of await Account.list())
    for (const [bridge, lease] of await leasesOf(account)) {
      const status = downAs(lease, hosts.get(lease.host))
      if (!status) continue
      const since = lease.reported?.status === status ? iso(lease.reported.since * 1000) : ""
      const { host, failCount: fail_count } = lease
      found.push({
        account,
        id: bridge.id,
        customer_ref: bridge.customerRef,
        status,
        since,
        host,
        fail_count,
      })
    }
  return found
}

async function leasesOf(accountId: string): Promise<[Bridge.Info, Lease.Info][]> {
  const bridges = await Bridge.list(accountId)
  const leases = await Promise.all(bridges.map(({ id }) => Lease.get(id)))
  // A bridge without a lease was deleted between the two reads.
  return bridges.flatMap((bridge, i) => (leases[i] ? [[bridge, leases[i]] as [Bridge.Info, Lease.Info]] : []))
}

/** How a bridge is down; undefined for one that is connected, has no phone linked, or must not run. */
export function downAs(lease: Lease.Info, host: Pick<Host.Info, "state"> | undefined): string | undefined {
  if (lease.host === Lease.STOPPED || lease.host === Lease.GONE || lease.reported?.status === "unpaired")
    return undefined
  if (!Lease.isHeld(lease)) return "held by nobody"
  if (!host || host.state === "dead") return "its host is dead"
  const status = Lease.statusOf(lease) ?? "starting"
  return status === "connected" ? undefined : status
}
