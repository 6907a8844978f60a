import { LRUCache } from "lru-cache"
import { now } from "../platform/clock.ts"
import { log } from "../platform/log.ts"
import { sameClock } from "./signed-call.ts"

/** The header in which a host that refuses a call says what time it is there, in Unix seconds. */
export const timeHeader = "x-time"

const known = new LRUCache<string, number>({ max: 10_000 })

/** By how many seconds a host's clock is ahead of ours, as far as it has said. */
export function secondsAhead(hostId: string): number {
  return known.get(hostId) ?? 0
}

/**
 * Learns from a refusal what time it is at a host.
 * @returns whether the difference is news: then it may be why the call was refused
 */
export function learnTime(hostId: string, said: unknown): boolean {
  const there = Number(said ?? Number.NaN)
  const ahead = there - now()
  if (!(Math.abs(ahead - secondsAhead(hostId)) > sameClock)) return false
  known.set(hostId, ahead)
  log.warn({ hostId, ahead }, "the clock of a host differs from ours, in seconds: set both")
  return true
}
