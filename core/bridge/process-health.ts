import type { z } from "zod"
import type { ProcessHealth } from "#contract/bridge.ts"
import type { Host } from "../lease/host.ts"
import { Lease } from "../lease/lease.ts"
import { iso, timeLeft } from "../platform/clock.ts"

/** After this much healthy time earlier failures are forgotten, in seconds. */
const forgivenAfter = 600

/** The live state of a bridge, from its lease and the host that holds it. */
export function processHealthOf(
  lease: Lease.Info,
  host: Host.Info | undefined,
): z.infer<typeof ProcessHealth> {
  return {
    health: healthOf(lease, host),
    started_at: lease.startedMs === 0 ? "" : iso(lease.startedMs),
    fail_count: isForgiven(lease) ? 0 : lease.failCount,
  }
}

function healthOf(lease: Lease.Info, host: Host.Info | undefined) {
  if (lease.host === Lease.STOPPED) return "stopped"
  if (!Lease.isHeld(lease)) return lease.failures === 0 ? "starting" : "unhealthy"
  return host && host.state !== "dead" ? "healthy" : "unhealthy"
}

function isForgiven(lease: Lease.Info): boolean {
  const since = Math.max(lease.failedAt, lease.startedMs / 1000)
  return Lease.isHeld(lease) && timeLeft(since + forgivenAfter, forgivenAfter) === 0
}
