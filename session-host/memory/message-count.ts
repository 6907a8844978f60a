import { Usage } from "#core/event/usage.ts"
import type { Logger } from "#core/platform/log.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import type { Timing } from "../timing.ts"

interface MessageCountParts {
  bridgeId: string
  timing: Pick<Timing, "messageCountMs">
  log: Logger
}

/**
 * How long the first message after a quiet time waits for others, in ms. It is short, so that usage soon
 * shows a message.
 */
const soonMs = 500

/**
 * Counts a session's messages for its bridge's usage (Contract, "Usage"). The counts are written only from
 * time to time.
 */
export class MessageCount {
  readonly #parts: MessageCountParts
  #day = ""
  /** How many came today, as of the last one; undefined if that is written. */
  #came: number | undefined
  #out = 0
  #timer: NodeJS.Timeout | undefined
  /** On the monotonic clock. */
  #writtenAtMs = -Infinity
  /**
   * The ids of messages that were counted as sent. A retry may come before the acknowledgement of the first
   * attempt is noted.
   */
  readonly #sent = boundedCache<true>(1000)

  constructor(parts: MessageCountParts) {
    this.#parts = parts
  }

  /** A message of others has come: so many came on this day. */
  came({ day, count }: { day: string; count: number }): void {
    this.#wantWrite(day)
    this.#came = count
  }

  /** A message was written on the phone, or sent. */
  went(): void {
    this.#wantWrite(Usage.today())
    this.#out++
  }

  #wantWrite(day: string): void {
    if (day !== this.#day) void this.written()
    this.#day = day
    const waitMs = Math.max(soonMs, this.#writtenAtMs + this.#parts.timing.messageCountMs - performance.now())
    this.#timer ??= setTimeout(() => void this.written(), waitMs).unref()
  }

  /** Counts an acknowledged message once, however often it is sent and acknowledged. */
  sent(messageId: string): void {
    if (this.#sent.has(messageId)) return
    this.#sent.set(messageId, true)
    this.went()
  }

  /** Writes the counts. A write that fails is only logged. */
  async written(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { bridgeId, log } = this.#parts
    const counts = { in: this.#came, out: this.#out }
    if (counts.in === undefined && counts.out === 0) return
    this.#came = undefined
    this.#out = 0
    this.#writtenAtMs = performance.now()
    try {
      await Usage.countMessages(bridgeId, this.#day, counts)
    } catch (error) {
      // What was to be added may have been added all the same, so it is not added again.
      log.warn({ error }, "a session's messages were not counted")
    }
  }

  /**
   * The session has ended, perhaps without notice, as when an operator pauses it. Its counts are written if
   * the process lives on.
   */
  end(): void {
    void this.written()
  }
}
