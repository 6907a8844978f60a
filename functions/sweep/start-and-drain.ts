import { HostShortage } from "#core/lease/host-shortage.ts"
import { Host } from "#core/lease/host.ts"
import { Lease, type Network } from "#core/lease/lease.ts"
import { now } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { type Fleet, hostsToStart, oldHostsToDrain, surplusHost } from "./fleet-size.ts"
import { runTask } from "./tasks.ts"

/**
 * A surplus host is drained only after this long, since each drain moves sessions. Ten minutes at 5 s a beat.
 */
const beatsOfSurplus = 120

/** RunTask takes a second or so. */
const startedSideBySide = 5

/** Since when each network has had a surplus host (monotonic). If it is forgotten, the drain takes longer. */
const surplusSince = new Map<Network, number>()

/** The networks that bridges may be on here. Their sessions never share a host. */
export function networks(): Network[] {
  const both = config.SANDBOX && config.HOST_NETWORK !== "simulated"
  return both ? [config.HOST_NETWORK, "simulated"] : [config.HOST_NETWORK]
}

/** Starts the hosts that a network needs, and drains its old hosts or a surplus one. */
export async function startAndDrain(network: Network, hosts: Host.Info[], free: Lease.Free): Promise<void> {
  const { wanting, suspects } = free
  Metrics.add("Suspects", suspects.length)
  const fleet: Fleet = {
    hosts,
    definition: config.ECS_TASK_DEFINITION,
    wanting,
    suspects: suspects.filter((lease) => Lease.triedAgainAt(lease) <= now()).length,
    spare: config.HOST_SPARE,
    capacity: config.HOST_CAPACITY,
  }
  await startMissing(network, fleet)
  const old = oldHostsToDrain(fleet)
  for (const host of old) await drain(host, "its task definition is not the current one")
  if (old.length > 0) return
  const unneeded = surplusHost(fleet)
  if (isLasting(network, unneeded) && unneeded) await drain(unneeded, "there is a surplus host")
}

/**
 * Ends every host that a sweep has started: the operator wants none. One that is starting is drained once it
 * is up.
 */
export async function drainAll(hosts: Host.Info[]): Promise<void> {
  for (const host of hosts)
    if (host.state === "up" && Host.isOwnedBySweep(host))
      await drain(host, "the operator has stopped all hosts")
}

async function startMissing(network: Network, fleet: Fleet): Promise<void> {
  const missing = hostsToStart(fleet)
  // Announced by an earlier look that could not start them, or died before it noted their tasks.
  const announced = fleet.hosts
    .filter((host) => host.state === "starting" && host.task === "")
    .map((host) => host.id)
  if (missing + announced.length === 0 && fleet.hosts.length === 0) return
  const shortage = await HostShortage.get(network)
  if (shortage && hasEnded(shortage, fleet, missing)) await HostShortage.end(network)
  else if (shortage && HostShortage.mustWait(shortage)) return

  const { capacity, definition } = fleet
  const isSpotOut = shortage?.kind === "capacity"
  const ids = [...announced, ...Array.from({ length: missing }, () => Host.newId())]
  for (let from = 0; from < ids.length; from += startedSideBySide) {
    const started = await Promise.all(
      ids.slice(from, from + startedSideBySide).map(async (id) => {
        if (!announced.includes(id)) await Host.announce({ id, network, capacity, definition })
        const outcome = await runTask({ id, network }, isSpotOut)
        if (typeof outcome === "object") await Host.remove(id)
        return outcome
      }),
    )
    const refused = started.find((outcome) => typeof outcome === "object")
    if (refused) return await noteRefused(network, refused)
    // The orchestrator wants fewer requests, so repeating them does not help.
    if (started.includes("later")) return
  }
}

/** Records, where everybody sees it, that a host could not be started. No other is tried for a while. */
export async function noteRefused(
  network: Network,
  { kind, why }: { kind: HostShortage.Kind; why: string },
): Promise<void> {
  Metrics.add("HostRefused")
  log.error({ network, kind, why }, "host could not be started")
  await HostShortage.note(network, kind, why)
}

/**
 * Whether a shortage is over: a host that was started since is up, or none is missing and none is starting.
 */
function hasEnded(shortage: HostShortage.Info, fleet: Fleet, missing: number): boolean {
  if (fleet.hosts.some((host) => host.state === "up" && host.startedAt > shortage.at)) return true
  return missing === 0 && fleet.hosts.every((host) => host.state !== "starting")
}

async function drain(host: Host.Info, why: string): Promise<void> {
  await Host.drain(host.id)
  log.info({ hostId: host.id, sessions: host.sessions, why }, "host drained")
}

function isLasting(network: Network, unneeded: Host.Info | undefined): boolean {
  if (!unneeded) {
    surplusSince.delete(network)
    return false
  }
  const since = surplusSince.get(network) ?? performance.now()
  surplusSince.set(network, since)
  return performance.now() - since >= beatsOfSurplus * config.LEASE_BEAT_MS
}
