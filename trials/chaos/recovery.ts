import type { Entry } from "#one-machine/network/client.ts"

/** How soon after a host's death its bridges are on the network again. */
export function newRecovery(devices: Set<string>) {
  const seconds: number[] = []
  /** When the last blow took a host, Unix milliseconds. */
  let killedAt = -Infinity
  const gone = new Map<string, number>()

  return {
    seconds,
    hostKilled(at: number): void {
      killedAt = at
    },
    /** The happenings that the network saw, in order. */
    saw({ who, at, kind, event }: Entry): void {
      if (!devices.has(who)) return
      if (event === "disconnected" && at - killedAt < soonMs && at >= killedAt) gone.set(who, killedAt)
      const since = gone.get(who)
      if (kind !== "in" || since === undefined) return
      seconds.push((at - since) / 1000)
      gone.delete(who)
    },
  }
}

/** A killed process's sockets are closed within this. */
const soonMs = 300
