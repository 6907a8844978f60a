import { setTimeout as sleep } from "node:timers/promises"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { look } from "./sweep.ts"

/** Invocations start each minute, one at a time (reserved concurrency 1). */
const staysMs = 50_000

/** Looks at every beat, for as long as an invocation may take. */
export async function handler(): Promise<void> {
  const until = performance.now() + staysMs
  while (performance.now() < until) {
    await look().catch((error: unknown) => log.error({ error }, "the sweep's look failed"))
    Metrics.flush()
    await sleep(config.LEASE_BEAT_MS)
  }
}
