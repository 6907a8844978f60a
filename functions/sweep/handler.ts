import { setTimeout as sleep } from "node:timers/promises"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { lookAtAll } from "./sweep.ts"

/** Invocations start each minute, one at a time (reserved concurrency 1). */
const staysMs = 50_000

export async function handler(): Promise<void> {
  await keepLooking(staysMs)
}

/**
 * Looks at every beat, for so many ms, and once at least. Where there is nothing to watch, once is enough: a
 * stage without bridges pays for no more.
 * @throws the last look's error if none succeeded, since alarms watch the function's errors
 */
export async function keepLooking(ms: number): Promise<void> {
  const until = performance.now() + ms
  let hasSucceeded = false
  let failure: unknown
  do {
    let isAny = true
    try {
      isAny = await lookAtAll()
      hasSucceeded = true
    } catch (error) {
      failure = error
      log.error({ error }, "the sweep's look failed")
    }
    Metrics.flush()
    if (!isAny) return
    await sleep(config.LEASE_BEAT_MS)
  } while (performance.now() < until)
  if (!hasSucceeded) throw failure
}
