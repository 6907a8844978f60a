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
  #counts: Usage.Messages = { in: 0, out: 0 }
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

  add(direction: keyof Usage.Messages): void {
    const day = Usage.today()
    if (day !== this.#day) void this.written()
    this.#day = day
    this.#counts[direction]++
    const waitMs = Math.max(soonMs, this.#writtenAtMs + this.#parts.timing.messageCountMs - performance.now())
    this.#timer ??= setTimeout(() => void this.written(), waitMs).unref()
  }

  /** Counts an acknowledged message once, however often it is sent and acknowledged. */
  sent(messageId: string): void {
    if (this.#sent.has(messageId)) return
    this.#sent.set(messageId, true)
    this.add("out")
  }

  /** Writes the counts. A write that fails is only logged. */
  async written(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { bridgeId, log } = this.#parts
    const counts = this.#counts
    if (counts.in === 0 && counts.out === 0) return
    this.#counts = { in: 0, out: 0 }
    this.#writtenAtMs = performance.now()
    try {
      await Usage.addMessages(bridgeId, this.#day, counts)
    } catch (error) {
      // The count may have been written all the same, so it is not written again.
      log.warn({ error }, "a session's messages were not counted")
    }
  }

  /**
   * The session has ended, perhaps without notice, as when an operator pauses it. Its counts are written if
   * the process lives on. A message whose commit was refused arrives again at the next holder, and then
   * counts twice.
   */
  end(): void {
    void this.written()
  }
}
