import { AttemptLog } from "#core/attempt-log.ts"
import { BridgeLog } from "#core/bridge-log.ts"
import type { Delivery } from "#core/delivery.ts"
import type { EventRow } from "#core/event-row.ts"
import { log } from "#core/log.ts"
import { Metrics } from "#core/metrics.ts"
import { type Outcome, toWire } from "./attempt.ts"

/** Writes an attempt where its customer sees it, and into our own log. */
export async function note(
  counted: Delivery.Info,
  made: { event: EventRow.Info; number: number },
  outcome: Outcome,
): Promise<void> {
  const { bridgeId, eventId, type: event } = made.event
  const { number } = made
  const { statusCode, error, latencyMs } = outcome
  const about = { bridgeId, eventId, attempt: number }
  Metrics.add("Attempts", 1, { outcome: outcome.verdict })
  Metrics.add("AttemptMs", latencyMs)
  log.info({ ...about, status: statusCode, error, ms: latencyMs }, "delivery attempted")
  const level = outcome.verdict === "delivered" ? "info" : "warn"
  const answer = statusCode === 0 ? error : `status ${statusCode}`
  BridgeLog.append(
    bridgeId,
    level,
    `event ${event} ${eventId}, attempt ${number}: ${answer} after ${latencyMs} ms`,
  )
  try {
    await AttemptLog.append(bridgeId, counted.attempts, toWire({ event, eventId, number }, outcome))
  } catch (failure) {
    // What became of the event is written already: its log must not decide what follows.
    log.warn({ ...about, error: failure }, "attempt not logged")
  }
}
