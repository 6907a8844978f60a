import type { Host } from "#core/lease/host.ts"
import { timeLeft } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"

/** For each host: the version that its beats have reached, and since when it is unchanged (ms, monotonic). */
export type Observations = ReadonlyMap<string, { version: number; sinceMs: number }>

/**
 * The orchestrator's report on a host's task. `stopping`: it was told to end and has a while. `missing`: the
 * orchestrator has never heard of it, or has long forgotten it.
 */
export type Report = "stopping" | "stopped" | "missing"

/** A host closes its own sockets after three. */
const silentBeats = 4
/** Orchestrators sometimes forget tasks that exist, so their word alone is not enough. */
const silentBeatsIfMissing = 2
/** The longest time from RunTask to the first beat, in seconds. */
const startWithin = 300

/** The observations after a successful read of all hosts. */
export function observe(before: Observations, hosts: Host.Info[], atMs: number): Observations {
  return new Map(
    hosts.map((host) => {
      const known = before.get(host.id)
      const unchanged = known?.version === host.version
      return [host.id, unchanged ? known : { version: host.version, sinceMs: atMs }]
    }),
  )
}

/** Whether a host that is not yet declared dead should be. */
export function isDead(
  host: Host.Info,
  about: { observed: Observations; report: Report | undefined; atMs: number; now: number },
): boolean {
  if (about.report === "stopped") return true
  if (host.state === "starting") return timeLeft(host.startedAt + startWithin, startWithin, about.now) === 0
  const known = about.observed.get(host.id)
  if (!known) return false
  const beats = about.report === "missing" ? silentBeatsIfMissing : silentBeats
  return about.atMs - known.sinceMs >= beats * config.LEASE_BEAT_MS
}
