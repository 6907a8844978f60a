import { setTimeout as sleep } from "node:timers/promises"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { ringInTime } from "./bells.ts"
import { lookAtHosts } from "./sweep.ts"

/** Invocations start each minute, one at a time (reserved concurrency 1). */
const staysMs = 50_000

export async function handler(): Promise<void> {
  await keepLooking(staysMs)
}

/**
 * Looks at every beat, for so many ms, and once at least. Where there is nothing to watch, once is enough: a
 * stage without bridges pays for no more. Deliveries are looked at beside the hosts: if their table is slow,
 * no host waits for it.
 * @throws the last error of a look at the hosts or the deliveries if none succeeded, since alarms watch the
 * function's errors
 */
export async function keepLooking(ms: number): Promise<void> {
  const until = performance.now() + ms
  const idle = new AbortController()
  const looks = each(until, idle.signal, async () => {
    if (!(await lookAtHosts())) idle.abort()
  })
  const [hosts, bells] = await Promise.allSettled([looks, each(until, idle.signal, ringInTime)])
  if (hosts.status === "rejected") throw hosts.reason
  if (bells.status === "rejected") throw bells.reason
}

async function each(until: number, idle: AbortSignal, look: () => Promise<void>): Promise<void> {
  let hasSucceeded = false
  let failure: unknown
  for (;;) {
    const next = performance.now() + config.LEASE_BEAT_MS
    try {
      await look()
      hasSucceeded = true
    } catch (error) {
      failure = error
      log.error({ error }, "the sweep's look failed")
    }
    Metrics.flush()
    // Lambda takes as much for sleep as for work.
    if (Math.max(next, performance.now()) >= until) break
    await sleep(next - performance.now(), undefined, { signal: idle }).catch(() => "idle")
    if (idle.aborted) break
  }
  if (!hasSucceeded) throw failure
}
