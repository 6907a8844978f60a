import { AllHostsStop } from "#core/lease/all-hosts-stop.ts"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { now, timeLeft } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { ringInTime } from "./bells.ts"
import { isDead, observe, type Observations } from "./is-host-dead.ts"
import { drainAll, networks, noteRefused, startAndDrain } from "./start-and-drain.ts"
import { type TaskReport, reportsOf, stopTask } from "./tasks.ts"
import { Turns } from "./turns.ts"

/**
 * The limits of one look, which has a seventh of a processor: with two thousand hosts that die at once, it
 * must not take longer than their beats. `asked`: so many tasks are described, and as many hosts declared
 * dead; `freed`: of so many dead hosts the leases are looked for; `stopped`: so many tasks are stopped.
 */
const most = { asked: 200, freed: 20, stopped: 20 }
/** How long a dead host's leases are looked for, since the index that lists them lags. In seconds. */
const askedForAfterDeath = 3600
/** A host drains within its two-minute stop time-out, or else gets a signal. In seconds. */
const drainsWithin = 150

/**
 * The observations of earlier looks. They live as long as the function's process, which outlives an
 * invocation. A new process starts counting silent beats again, so it notices an unreported death half a
 * minute later.
 */
let observed: Observations = new Map()
const turns = { asked: new Turns(most.asked), freed: new Turns(most.freed) }

/** One look at everything, where nothing else shares its time: at hosts, then at overdue deliveries. */
export async function lookAtAll(): Promise<boolean> {
  const isAny = await lookAtHosts()
  await ringInTime()
  return isAny
}

/**
 * One look at hosts that died or must end, and hosts that are needed.
 * @returns whether there is anything to watch: a host, or a bridge that wants one
 */
export async function lookAtHosts(): Promise<boolean> {
  const begunMs = performance.now()
  const hosts = await readHosts()
  const asked = hostsToAskAbout(hosts)
  const reports = await reportsOf(asked.map(({ task }) => task).filter((task) => task !== ""))
  const dead = await declareDead(hosts, asked, reports)
  const ids = new Set(dead.map(({ id }) => id))
  const living = await drainStopping(
    hosts.filter(({ id }) => !ids.has(id)),
    reports,
  )
  await Promise.all(turns.freed.next(dead).map((host) => freeLeasesOf(host, living)))
  await stopLeftovers(asked, reports)

  // Where there are no sandboxes any more, no host comes for one.
  const free = await Lease.countFree(config.HOST_NETWORK)
  const wanted = networks().reduce((all, one) => all + free[one].wanting + free[one].suspects.length, 0)
  const sum = (of: (host: Host.Info) => number) => living.reduce((total, host) => total + of(host), 0)
  Metrics.add(
    "SessionsUp",
    sum((host) => host.up),
  )
  Metrics.add("SessionsExpected", wanted + sum((host) => host.sessions))
  if (await AllHostsStop.isOn()) await drainAll(living)
  else
    for (const network of networks())
      await startAndDrain(
        network,
        living.filter((host) => host.network === network),
        free[network],
      )
  Metrics.add("LookMs", Math.round(performance.now() - begunMs))
  return hosts.length + wanted > 0
}

/** Those that this look judges: first those that should have beaten since the last one, then all in turn. */
function hostsToAskAbout(hosts: Host.Info[]): Host.Info[] {
  const beforeMs = performance.now() - config.LEASE_BEAT_MS
  const silent = hosts.filter(
    ({ id, state }) => (state === "up" || state === "draining") && observed.get(id)!.sinceMs <= beforeMs,
  )
  return [...new Set([...silent, ...turns.asked.next(hosts)])].slice(0, most.asked)
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
async function declareDead(
  hosts: Host.Info[],
  asked: Host.Info[],
  reports: Map<string, TaskReport>,
): Promise<Host.Info[]> {
  const dying = asked.filter((host) => {
    const about = { observed, report: reports.get(host.task)?.report, atMs: performance.now(), now: now() }
    return host.state !== "dead" && isDead(host, about)
  })
  const declared = await Promise.all(
    dying.map(async (host) => {
      const { report, isBlameless = false, why = "it gave no sign of life" } = reports.get(host.task) ?? {}
      // Refused if the host has beaten meanwhile.
      if (!(await Host.markDead(host.id, host.version, isBlameless))) return []
      log.warn({ hostId: host.id, was: host.state, report, why, isBlameless }, "host declared dead")
      Metrics.add("HostDead")
      return { ...host, isBlameless, why }
    }),
  )
  // A host that is started again at once would end again at once.
  for (const network of networks()) {
    const failed = declared.flat().find((host) => host.state === "starting" && host.network === network)
    if (failed) await noteRefused(network, { kind: "start", why: failed.why })
  }
  return [...hosts.filter((host) => host.state === "dead"), ...declared.flat()]
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
  return await Promise.all(
    living.map(async (host) => {
      const reported = reports.get(host.task)
      // A host that never came up has nothing to give back; its end will say why.
      if (reported?.report !== "stopping" || host.state !== "up") return host
      await Host.drain(host.id)
      log.warn({ hostId: host.id, why: reported.why }, "the orchestrator is ending a host")
      return { ...host, state: "draining" as const }
    }),
  )
}

/** Stops tasks that should have ended: they would still be paid for and would keep their leases. */
async function stopLeftovers(asked: Host.Info[], reports: Map<string, TaskReport>): Promise<void> {
  const left = asked.filter((host) => host.task !== "" && !reports.has(host.task) && hasToEnd(host))
  for (const host of left.slice(0, most.stopped))
    await stopTask(host.task, host.state === "dead" ? "its host was declared dead" : "it did not drain")
}

function hasToEnd({ state, drainingAt }: Host.Info): boolean {
  const isLate = timeLeft(drainingAt + drainsWithin, drainsWithin) === 0
  return state === "dead" || (state === "draining" && isLate)
}
