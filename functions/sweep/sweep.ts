import { randomUUID } from "node:crypto"
import { now } from "#core/clock.ts"
import { config } from "#core/config.ts"
import { Host } from "#core/host.ts"
import { Lease } from "#core/lease.ts"
import { log } from "#core/log.ts"
import { ringOverdue } from "./bells.ts"
import { isOver, observe, type Observations } from "./death.ts"
import { reportsOf, run } from "./tasks.ts"
import { hostsToStart } from "./wanted.ts"

/** How long a dead host's leases are asked for: the index that names them is late. In seconds. */
const askedForAfterDeath = 3600
/** Hosts are looked at each beat; overdue doorbells have minutes. */
const beatsPerRing = 4

/**
 * What earlier looks saw. It outlives an invocation as the function's process does; in a new process the count of silent
 * beats starts again, which only makes a host that nobody reports dead half a minute later.
 */
let observed: Observations = new Map()
let rungAt = -Infinity

/** One look at everything: hosts that died, hosts that are wanted, deliveries that are overdue. */
export async function look(): Promise<void> {
  const hosts = await readHosts()
  const dead = await declareDead(hosts)
  for (const host of dead) await freeLeasesOf(host)
  await startWanted(hosts.filter((host) => !dead.includes(host)))

  if (performance.now() - rungAt < beatsPerRing * config.LEASE_BEAT_MS) return
  await ringOverdue()
  rungAt = performance.now()
}

/** A failed read starts the count again: after an outage of the store every host would look dead. */
async function readHosts(): Promise<Host.Info[]> {
  try {
    const hosts = await Host.list()
    observed = observe(observed, hosts, performance.now())
    return hosts
  } catch (error) {
    observed = new Map()
    throw error
  }
}

/** @returns those that are dead by now, whenever that was declared. */
async function declareDead(hosts: Host.Info[]): Promise<Host.Info[]> {
  const tasks = hosts.filter((host) => host.state !== "dead" && host.task !== "").map((host) => host.task)
  const reports = await reportsOf(tasks)
  const dead = hosts.filter((host) => host.state === "dead")
  for (const host of hosts) {
    const report = reports.get(host.task)
    const about = { observed, report, atMs: performance.now(), now: now() }
    if (host.state === "dead" || !isOver(host, about)) continue
    // Refused when it has beaten meanwhile.
    if (!(await Host.markDead(host.id, host.version))) continue
    log.warn({ hostId: host.id, was: host.state, report }, "host declared dead")
    dead.push(host)
  }
  return dead
}

async function freeLeasesOf(host: Host.Info): Promise<void> {
  if (host.state === "dead" && now() - host.deadAt > askedForAfterDeath) return await Host.remove(host.id)
  for (const lease of await Lease.listByHost(host.id)) {
    const freed = await Lease.freeFromDead(lease, { key: Host.key(host.id), seenVersion: host.version })
    if (freed) log.info({ bridgeId: lease.bridgeId, hostId: host.id }, "lease of a dead host freed")
  }
}

async function startWanted(living: Host.Info[]): Promise<void> {
  const network = config.HOST_NETWORK
  const free = await Lease.listByHost(Lease.FREE)
  const wanting = free.filter((lease) => lease.network === network)
  const count = hostsToStart({
    hosts: living.filter((host) => host.network === network),
    wanting: wanting.length,
    suspects: wanting.filter((lease) => Lease.isSuspect(lease) && Lease.triedAgainAt(lease) <= now()).length,
    spare: config.HOST_SPARE,
    capacity: config.HOST_CAPACITY,
  })
  // Announced by an earlier look that could not start it, or did not live to note its task.
  const announced = living
    .filter((host) => host.state === "starting" && host.task === "")
    .map((host) => host.id)
  for (let i = 0; i < count; i++) {
    const id = randomUUID()
    await Host.announce({ id, network, capacity: config.HOST_CAPACITY })
    announced.push(id)
  }
  for (const id of announced) await run(id)
}
