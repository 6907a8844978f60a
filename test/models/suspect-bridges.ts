import type { Model } from "./explore.ts"

/**
 * A stanza that kills its host comes back to the next one. There are two bridges, one with such a stanza, and hosts
 * with room for both. A dead host is declared so at once, and another is started in its place. Before it dies, the
 * poisoned bridge receives other messages.
 */
interface Suspects {
  poisoned: Lease
  healthy: Lease
  /** How often the healthy bridge lost its host to the other's stanza, counted up to a few. */
  hurt: number
}

interface Lease {
  host: "none" | "first" | "second"
  /** How many hosts in a row died with it, counted up to two, since more makes no difference. */
  deaths: number
}

type Harm = "hurt again and again" | "the healthy bridge never runs"

export interface SuspectRules {
  /** After two deaths only an empty host takes the bridge, and takes nothing else. */
  areAlone: boolean
  /** A received message ends the row of deaths, as it did before 0.2; otherwise only a minute of life does. */
  messagesProve: boolean
}

export function suspectBridges({ areAlone, messagesProve }: SuspectRules): Model<Suspects, Harm> {
  const isSuspect = (lease: Lease) => areAlone && lease.deaths >= 2

  return {
    start: { poisoned: { host: "none", deaths: 0 }, healthy: { host: "none", deaths: 0 }, hurt: 0 },
    stuck: "the healthy bridge never runs",
    settled: (now) => now.healthy.host !== "none" && now.healthy.deaths === 0,
    harm: (now) => (now.hurt > 2 ? "hurt again and again" : undefined),
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

      if (messagesProve && now.poisoned.host !== "none" && now.poisoned.deaths > 0)
        step("the poisoned bridge takes another message in", (next) => {
          next.poisoned.deaths = 0
        })

      const { host } = now.poisoned
      if (host !== "none")
        fault(`the stanza kills the ${host} host`, (next) => {
          next.poisoned = fail(now.poisoned)
          if (now.healthy.host !== host) return
          next.healthy = fail(now.healthy)
          next.hurt++
        })
    },
  }
}

function fail(lease: Lease): Lease {
  return { host: "none", deaths: Math.min(2, lease.deaths + 1) }
}
