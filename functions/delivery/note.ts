import { BridgeLog } from "#core/bridge-log.ts"
import { iso, nowMs } from "#core/clock.ts"
import { Delivery } from "#core/delivery.ts"
import type { EventRow } from "#core/event-row.ts"
import { log } from "#core/log.ts"
import { Metrics } from "#core/metrics.ts"
import type { Outcome } from "./attempt.ts"

/** Writes an attempt where its customer sees it, and into our own log. */
export async function note(
  counted: Delivery.Info,
  made: { event: EventRow.Info; attempt: number },
  outcome: Outcome,
): Promise<void> {
  const { event, attempt } = made
  const { statusCode, error, latencyMs } = outcome
  const about = { bridgeId: event.bridgeId, eventId: event.eventId, attempt }
  Metrics.add("Attempts", 1, { outcome: outcome.verdict })
  Metrics.add("AttemptMs", latencyMs)
  log.info({ ...about, status: statusCode, error, ms: latencyMs }, "delivery attempted")
  const entry = {
    attempt,
    error,
    event: event.type,
    event_id: event.eventId,
    latency_ms: latencyMs,
    status_code: statusCode,
    success: outcome.verdict === "delivered",
    timestamp: iso(nowMs()),
  }
  try {
    const level = outcome.verdict === "delivered" ? "info" : "warn"
    const answer = statusCode === 0 ? error : `status ${statusCode}`
    const text = `event ${event.type} ${event.eventId}, attempt ${attempt}: ${answer} after ${latencyMs} ms`
    BridgeLog.append(event.bridgeId, level, text)
    await Delivery.logAttempt(counted, entry)
  } catch (failure) {
    // What became of the event is written already: its log must not decide what follows.
    log.warn({ ...about, error: failure }, "attempt not logged")
  }
}
