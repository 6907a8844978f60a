import type { Model } from "./explore.ts"

/**
 * A stanza that kills its host comes back to the next one. There are two bridges, one with such a stanza, and hosts
 * with room for both. A dead host is declared so at once, and another is started in its place. Hosts are also killed from outside, twice.
 */
interface Suspects {
  poisoned: Lease
  healthy: Lease
  /** How often the healthy bridge lost its host to the other's stanza, counted up to a few. */
  hurt: number
  /** How many kills from outside are left. */
  kills: number
}

interface Lease {
  host: "none" | "first" | "second"
  /** How many hosts in a row died with it, counted up to two, since more makes no difference. */
  deaths: number
  /** It is a suspect and has to wait before it is tried again. */
  waits: boolean
}

type Harm = "hurt again and again" | "the healthy bridge never runs" | "the healthy bridge has to wait"

export interface SuspectRules {
  /** After two deaths only an empty host takes the bridge, and takes nothing else. */
  areAlone: boolean
  /** A kill from outside counts as a death. */
  killsCount: boolean
  /** A suspect waits also for deaths beside others; otherwise only for those that it was alone at. */
  sharedDeathsWait: boolean
}

const asDesigned: SuspectRules = {
  areAlone: true,
  killsCount: false,
  sharedDeathsWait: false,
}

export function suspectBridges(changed: Partial<SuspectRules> = {}): Model<Suspects, Harm> {
  const { areAlone, killsCount, sharedDeathsWait } = { ...asDesigned, ...changed }
  const isSuspect = (lease: Lease) => areAlone && lease.deaths >= 2

  return {
    start: { poisoned: fresh(), healthy: fresh(), hurt: 0, kills: 2 },
    stuck: "the healthy bridge never runs",
    settled: (now) => now.healthy.host !== "none" && now.healthy.deaths === 0,
    harm: (now) => {
      if (now.healthy.waits) return "the healthy bridge has to wait"
      return now.hurt > 2 ? "hurt again and again" : undefined
    },
    next: (now, step, fault) => {
      for (const [name, other] of [
        ["poisoned", "healthy"],
        ["healthy", "poisoned"],
      ] as const)
        for (const host of ["first", "second"] as const) {
          const shares = now[other].host === host
          const mayTake = !shares || (!isSuspect(now[name]) && !isSuspect(now[other]))
          if (now[name].host === "none" && mayTake)
            step(`the ${host} host takes the ${name} bridge`, (next) => {
              next[name].host = host
            })
        }

      if (now.healthy.host !== "none" && now.healthy.deaths > 0)
        step("the healthy bridge lives for a minute", (next) => {
          next.healthy.deaths = 0
        })

      const { host } = now.poisoned
      if (host !== "none")
        fault(`the stanza kills the ${host} host`, (next) => {
          if (now.healthy.host === host) next.hurt++
          die(next, host, true)
        })

      if (now.kills > 0)
        for (const killed of ["first", "second"] as const)
          fault(`the ${killed} host is killed from outside`, (next) => {
            next.kills--
            die(next, killed, killsCount)
          })
    },
  }

  function die(next: Suspects, host: Lease["host"], counts: boolean): void {
    const lost = [next.poisoned, next.healthy].filter((lease) => lease.host === host)
    for (const lease of lost) {
      lease.host = "none"
      if (!counts) continue
      lease.deaths = Math.min(2, lease.deaths + 1)
      lease.waits = isSuspect(lease) && (lost.length === 1 || sharedDeathsWait)
    }
  }
}

function fresh(): Lease {
  return { host: "none", deaths: 0, waits: false }
}
