import { monitorEventLoopDelay } from "node:perf_hooks"
import { Metrics } from "#core/platform/metrics.ts"
import type { Session } from "../session/session.ts"

/** CloudWatch keeps metrics with a resolution of one minute. */
const eachMs = 60_000
/**
 * How often the lag of the event loop is measured, which wakes the process. The reported lag is too long by
 * up to this time; at rest it is just this time.
 */
const lookEachMs = 200

interface Measured {
  sessions: ReadonlyMap<string, Pick<Session, "unkeptMs">>
}

/**
 * Writes the measurements of this process and its sessions each minute.
 * @returns a function that ends this and writes the rest
 */
export function measureEachMinute(host: Measured, versionAgeH?: () => number | undefined): () => void {
  const delay = monitorEventLoopDelay({ resolution: lookEachMs })
  delay.enable()
  const measure = () => {
    const waits = [...host.sessions.values()].map((session) => session.unkeptMs)
    Metrics.add("UnkeptMs", Math.round(Math.max(0, ...waits)))
    Metrics.add("EventLoopLagMs", Math.round(delay.max / 1e6))
    delay.reset()
    Metrics.add("RssMb", Math.round(process.memoryUsage.rss() / 1e6))
    const ageH = versionAgeH?.()
    if (ageH !== undefined) Metrics.add("WebVersionAgeH", Math.round(ageH))
    Metrics.flush()
  }
  const timer = setInterval(measure, eachMs).unref()
  return () => {
    clearInterval(timer)
    measure()
    delay.disable()
  }
}
