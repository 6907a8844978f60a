import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { AttemptLog } from "#core/event/attempt-log.ts"
import type { EventRow } from "#core/event/event-row.ts"
import { Receiver } from "#core/event/receiver.ts"
import { DiskRoom } from "#core/platform/disk-room.ts"
import { log } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { type Outcome, toWire } from "./attempt.ts"

/** As many as one request can write. */
const together = 25
/** Customers watch the log while they try things. */
const withinMs = 1000

/** An attempt that was made, beside its outcome. */
interface Made {
  /** The events that were in the POST. */
  events: EventRow.Info[]
  number: number
  /**
   * The number of the first event's attempt among all that were recorded; undefined when the claim was lost.
   */
  count: number | undefined
  url: string
  deliveryKey: Uint8Array
  isResend?: boolean
}

function entryOf(event: EventRow.Info, made: Made, outcome: Outcome): Omit<AttemptLog.Entry, "count"> {
  const { number, url, isResend = false } = made
  const { headers, verdict, answer, answerHeaders = {}, message } = outcome
  const { "x-webhook-undelivered": undelivered, "x-webhook-undelivered-since": since } = headers
  const signatures = {
    signature: headers["x-webhook-signature"] ?? "",
    standard: headers["webhook-signature"] ?? "",
    ...(undelivered !== undefined && { undelivered }),
    ...(since !== undefined && { undelivered_since: since }),
  }
  // What a receiver answered is of use, but the first thing that the service can do without.
  const isKept = verdict !== "delivered" && DiskRoom.hasRoomToSpare()
  return {
    n: event.n,
    attempt: toWire({ event: event.type, eventId: event.eventId, number }, outcome),
    isResend,
    signatures,
    ...(message.batch !== undefined && { batch: { batch_id: message.id, batch_size: message.batch } }),
    ...(isKept && { failure: { url, answer: Buffer.from(answer ?? []).toString(), answerHeaders } }),
  }
}

/** Records the attempts of an invocation: in the list that the customer sees, and in our own log. */
export class AttemptNotes {
  readonly #id: Receiver.Id
  #deliveryKey: Uint8Array | undefined
  #waiting: AttemptLog.Entry[] = []
  #writing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(id: Receiver.Id) {
    this.#id = id
  }

  /**
   * Records an attempt. The customer's list gets it once 25 have gathered, or within a second, and at the
   * latest when `written` resolves. Without a `count` it is left out of the list: the claim was lost, and the
   * count may be another's.
   */
  add(made: Made, outcome: Outcome): void {
    const { events, count, deliveryKey } = made
    logOutcome(this.#id, made, outcome)
    if (count === undefined) return
    this.#deliveryKey = deliveryKey
    this.#waiting.push(...events.map((event, i) => ({ count: count + i, ...entryOf(event, made, outcome) })))
    if (this.#waiting.length >= together) return this.#write()
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
    const deliveryKey = this.#deliveryKey
    if (entries.length === 0 || !deliveryKey) return
    this.#writing = this.#writing
      .then(() => AttemptLog.append(this.#id, entries, deliveryKey))
      .catch((error: unknown) => {
        // The events' outcomes are written already, and a missing log entry must not affect what follows.
        log.warn({ ...this.#id, attempts: entries.length, error }, "attempts not logged")
      })
  }
}

function logOutcome(
  { bridgeId, webhookId }: Receiver.Id,
  made: { events: EventRow.Info[]; number: number },
  outcome: Outcome,
): void {
  const { eventId, type } = made.events[0]!
  const more = made.events.length > 1 ? ` and ${made.events.length - 1} more` : ""
  const { statusCode, error, latencyMs, verdict } = outcome
  Metrics.add("Attempts")
  // An alarm divides `Undelivered` by `Attempts`, so each must have data wherever the other has.
  Metrics.add("Undelivered", 0)
  log.info(
    {
      bridgeId,
      webhookId,
      eventId,
      events: made.events.length,
      attempt: made.number,
      status: statusCode,
      error,
      ms: latencyMs,
    },
    "delivery attempted",
  )
  const level = verdict === "delivered" ? "info" : "warn"
  const answer = statusCode === 0 ? error : `status ${statusCode}`
  const toWhich = Receiver.isFirst({ webhookId }) ? "" : `webhook ${webhookId}, `
  BridgeLog.append(
    bridgeId,
    level,
    `event ${type} ${eventId}${more}, ${toWhich}attempt ${made.number}: ${answer} after ${latencyMs} ms`,
  )
}
