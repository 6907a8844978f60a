import { type BinaryNode, getBinaryNodeChild } from "@whiskeysockets/baileys"
import type { Logger } from "pino"
import { iso } from "#core/platform/clock.ts"
import { Metrics } from "#core/platform/metrics.ts"

/** The day that was reported last in this process: the network names it to each session. */
let reported = ""

/**
 * Takes every frame, and reports to the operator when the network will refuse the version of its protocol that is spoken here
 * (`<ib><client_expiration t/></ib>`), or that it will not after all.
 */
export function reportExpiration(frame: BinaryNode, log: Pick<Logger, "error" | "info">): void {
  const expiration = frame.tag === "ib" ? getBinaryNodeChild(frame, "client_expiration") : undefined
  if (!expiration) return
  const seconds = Number(expiration.attrs.t)
  // A time of the next century would be none, and may be no date.
  const at = seconds > 0 && seconds < 4_102_444_800 ? iso(seconds * 1000) : ""
  if (at !== "") Metrics.add("ClientExpires")
  const day = at.slice(0, 10)
  if (day === reported) return
  reported = day
  if (at === "") log.info("the network does not refuse this version any more")
  else log.error({ at }, "the network will refuse this version from then on: update the service before that")
}
