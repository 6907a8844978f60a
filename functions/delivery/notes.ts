import { AttemptLog } from "#core/event/attempts.ts"
import { BridgeLog } from "#core/bridge/log.ts"
import type { EventRow } from "#core/event/row.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { type Outcome, toWire } from "./attempt.ts"

/** As many as one request can write. */
const together = 25
/** Customers watch the log while they try things. */
const withinMs = 1000

/** Records the attempts of an invocation: in the list that the customer sees, and in our own log. */
export class Notes {
  readonly #bridgeId: string
  #waiting: AttemptLog.Entry[] = []
  #writing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(bridgeId: string) {
    this.#bridgeId = bridgeId
  }

  /**
   * Records an attempt. The customer's list gets it once 25 have gathered, or within a second, and at the latest when
   * `written` resolves. Without a `count` it is left out of the list: the claim was lost, and the count may be
   * another's.
   */
  add(made: { event: EventRow.Info; number: number; count: number | undefined }, outcome: Outcome): void {
    const { eventId, type: event } = made.event
    const { number, count } = made
    tell(this.#bridgeId, made, outcome)
    if (count === undefined) return
    this.#waiting.push({ count, attempt: toWire({ event, eventId, number }, outcome) })
    if (this.#waiting.length === together) return this.#write()
    this.#timer ??= setTimeout(() => this.#write(), withinMs)
  }

  /** Resolves when everything is written, or cannot be. */
  async written(): Promise<void> {
    this.#write()
    await this.#writing
  }

  #write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const entries = this.#waiting.splice(0)
    if (entries.length === 0) return
    this.#writing = this.#writing
      .then(() => AttemptLog.append(this.#bridgeId, entries))
      .catch((error: unknown) => {
        // The events' outcomes are written already, and a missing log entry must not affect what follows.
        log.warn({ bridgeId: this.#bridgeId, attempts: entries.length, error }, "attempts not logged")
      })
  }
}

function tell(bridgeId: string, made: { event: EventRow.Info; number: number }, outcome: Outcome): void {
  const { eventId, type } = made.event
  const { statusCode, error, latencyMs, verdict } = outcome
  Metrics.add("Attempts", 1, { outcome: verdict })
  Metrics.add("AttemptMs", latencyMs)
  // So that it has data wherever attempts have: an alarm looks at the part of the one in the other.
  Metrics.add("Undelivered", 0)
  log.info(
    { bridgeId, eventId, attempt: made.number, status: statusCode, error, ms: latencyMs },
    "delivery attempted",
  )
  const level = verdict === "delivered" ? "info" : "warn"
  const answer = statusCode === 0 ? error : `status ${statusCode}`
  BridgeLog.append(
    bridgeId,
    level,
    `event ${type} ${eventId}, attempt ${made.number}: ${answer} after ${latencyMs} ms`,
  )
}
