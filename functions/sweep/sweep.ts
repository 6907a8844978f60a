import { AllHostsStop } from "#core/lease/all-hosts-stop.ts"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { now, timeLeft } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { ringOverdue } from "./bells.ts"
import { isDead, observe, type Observations } from "./is-host-dead.ts"
import { drainAll, networks, noteRefused, startAndDrain } from "./start-and-drain.ts"
import { type TaskReport, reportsOf, stopTask } from "./tasks.ts"

/**
 * Dead hosts whose leases are looked for at once. One after the other, the hosts of a lost zone would take
 * longer than a beat.
 */
const freedAtOnce = 10
/** How long a dead host's leases are looked for, since the index that lists them lags. In seconds. */
const askedForAfterDeath = 3600
/** A host drains within its two-minute stop time-out, or else gets a signal. In seconds. */
const drainsWithin = 150
/** Hosts are looked at every beat; overdue doorbells can wait for minutes. */
const beatsPerRing = 4

/**
 * The observations of earlier looks. They live as long as the function's process, which outlives an
 * invocation. A new process starts counting silent beats again, so it notices an unreported death half a
 * minute later.
 */
let observed: Observations = new Map()
let rungAt = -Infinity

/**
 * One look at everything: hosts that died or must end, hosts that are needed, deliveries that are overdue.
 * @returns whether there is anything to watch: a host, or a bridge that wants one
 */
export async function lookAtAll(): Promise<boolean> {
  const hosts = await readHosts()
  const reports = await reportsOf(hosts.flatMap((host) => (host.task === "" ? [] : [host.task])))
  const dead = await declareDead(hosts, reports)
  const living = await drainStopping(
    hosts.filter(({ id }) => !dead.some((host) => host.id === id)),
    reports,
  )
  for (let from = 0; from < dead.length; from += freedAtOnce)
    await Promise.all(dead.slice(from, from + freedAtOnce).map((host) => freeLeasesOf(host, living)))
  await stopLeftovers(hosts, reports)

  // Where there are no sandboxes any more, no host comes for one.
  const free = (await Lease.listByHost(Lease.FREE)).filter(({ network }) => networks().includes(network))
  const sum = (of: (host: Host.Info) => number) => living.reduce((total, host) => total + of(host), 0)
  Metrics.add(
    "SessionsUp",
    sum((host) => host.up),
  )
  Metrics.add("SessionsExpected", free.length + sum((host) => host.sessions))
  if (await AllHostsStop.isOn()) await drainAll(living)
  else
    for (const network of networks())
      await startAndDrain(
        network,
        living.filter((host) => host.network === network),
        free.filter((lease) => lease.network === network),
      )

  const isAny = hosts.length + free.length > 0
  if (performance.now() - rungAt < beatsPerRing * config.LEASE_BEAT_MS) return isAny
  await ringOverdue()
  rungAt = performance.now()
  return isAny
}

/** A failed read restarts the count: otherwise every host would look dead after an outage of the store. */
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

/** @returns all hosts that are dead by now, whenever they were declared so. */
async function declareDead(hosts: Host.Info[], reports: Map<string, TaskReport>): Promise<Host.Info[]> {
  const dead = hosts.filter((host) => host.state === "dead")
  for (const host of hosts) {
    const { report, isBlameless, why = "it gave no sign of life" } = reports.get(host.task) ?? {}
    const about = { observed, report, atMs: performance.now(), now: now() }
    if (host.state === "dead" || !isDead(host, about)) continue
    // Refused if the host has beaten meanwhile.
    if (!(await Host.markDead(host.id, host.version, isBlameless))) continue
    log.warn({ hostId: host.id, was: host.state, report, why, isBlameless }, "host declared dead")
    Metrics.add("HostDead")
    dead.push({ ...host, isBlameless: isBlameless ?? false })
    // A host that is started again at once would end again at once.
    if (host.state === "starting") await noteRefused(host.network, { kind: "start", why })
  }
  return dead
}

async function freeLeasesOf(host: Host.Info, living: Host.Info[]): Promise<void> {
  if (host.state === "dead" && now() - host.deadAt > askedForAfterDeath) return await Host.remove(host.id)
  const among = living.filter(
    ({ network, state, sessions, capacity }) =>
      network === host.network && state === "up" && sessions < capacity,
  ).length
  const { id, version, sessions, isBlameless } = host
  const seen = { key: Host.key(id), seenVersion: version, among, sessions, isBlameless }
  for (const { bridgeId } of await Lease.freeFromDead(await Lease.listByHost(id), seen))
    log.info({ bridgeId, hostId: id }, "lease of a dead host freed")
}

/**
 * Drains each host whose task the orchestrator is ending, as in a Spot interruption or a retirement. The
 * host's room no longer counts. If the signal has not reached the host, it gives its leases back at its next
 * beat.
 */
async function drainStopping(living: Host.Info[], reports: Map<string, TaskReport>): Promise<Host.Info[]> {
  const after: Host.Info[] = []
  for (const host of living) {
    const reported = reports.get(host.task)
    // A host that never came up has nothing to give back; its end will say why.
    const isEnding = reported?.report === "stopping" && host.state === "up"
    after.push(isEnding ? { ...host, state: "draining" } : host)
    if (!isEnding) continue
    await Host.drain(host.id)
    log.warn({ hostId: host.id, why: reported.why }, "the orchestrator is ending a host")
  }
  return after
}

/** Stops tasks that should have ended: they would still be paid for and would keep their leases. */
async function stopLeftovers(hosts: Host.Info[], reports: Map<string, TaskReport>): Promise<void> {
  for (const host of hosts) {
    const isStuck = host.state === "draining" && timeLeft(host.drainingAt + drainsWithin, drainsWithin) === 0
    if (host.task === "" || reports.has(host.task)) continue
    if (host.state === "dead") await stopTask(host.task, "its host was declared dead")
    if (isStuck) await stopTask(host.task, "it did not drain")
  }
}
