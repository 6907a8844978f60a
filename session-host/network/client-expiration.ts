import type { Logger } from "pino"
import { iso } from "#core/platform/clock.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { child, type Stanza } from "./stanza.ts"

/**
 * When the network will refuse this version, as the network said last, in Unix seconds; 0: it names no day.
 */
let expiresAt = 0

/**
 * When the network will refuse this version, for the operator's figures: Unix seconds, or 0 if it names no
 * day.
 */
export function clientExpiresAt(): number {
  return expiresAt
}

/**
 * Takes every `ib` frame, and reports to the operator when the network will refuse the version of its
 * protocol that is spoken here (`<ib><client_expiration t/></ib>`), or that it will not after all.
 */
export function reportExpiration(frame: Stanza, log: Pick<Logger, "error" | "info">): void {
  const expiration = child(frame, "client_expiration")
  if (!expiration) return
  const seconds = Number(expiration.attrs.t)
  // A time of the next century cannot be meant, and may be no valid date.
  const next = Number.isInteger(seconds) && seconds > 0 && seconds < 4_102_444_800 ? seconds : 0
  if (next > 0) Metrics.add("ClientExpires")
  // The network names the time to each session, not always with the same second.
  const isSameDay = dayOf(next) === dayOf(expiresAt)
  expiresAt = next
  if (isSameDay) return
  const at = iso(next * 1000)
  if (next === 0) log.info("the network does not refuse this version any more")
  else log.error({ at }, "the network will refuse this version from then on: update the service before that")
}

function dayOf(seconds: number): number {
  return Math.floor(seconds / 86_400)
}
