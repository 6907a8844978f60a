import { setTimeout as sleep } from "node:timers/promises"

const lookEachMs = 100
let last = performance.eventLoopUtilization()
let lastAt = performance.now()
let share = 0

/**
 * The share of its time, 0 to 1, that this process's one thread has lately worked; looked at ten times a
 * second.
 */
function busyShare(): number {
  if (performance.now() - lastAt < lookEachMs) return share
  share = performance.eventLoopUtilization(last).utilization
  last = performance.eventLoopUtilization()
  lastAt = performance.now()
  return share
}

/** Whether this process works for more than half of its time, so that new calls wait noticeably longer. */
export function isBusy(): boolean {
  return busyShare() > 0.5
}

/** How long the next chunk waits after the last one, ms: with chunks of 64 KiB, 16 MB/s at most. */
const restMs = 4
let rested = Promise.resolve()

/**
 * Rests between two chunks of a large file, while this process has much to do. Chunks of all files then wait
 * for each other, so that many files take no more of the process than one.
 */
export async function restWhileBusy(): Promise<void> {
  if (!isBusy()) return
  rested = rested.then(() => sleep(restMs))
  await rested
}
