import { setTimeout as sleep } from "node:timers/promises"
import { Delivery } from "#core/delivery.ts"
import type { Logger } from "../log.ts"

/** Tells the delivery of a bridge that something waits: in the background, once for many events, until it is done. */
export class Bell {
  readonly #bridgeId: string
  readonly #log: Logger
  readonly #ended = new AbortController()
  #wanted = false
  #ringing: Promise<void> | undefined

  constructor(bridgeId: string, log: Logger) {
    this.#bridgeId = bridgeId
    this.#log = log
  }

  /** Events were committed. */
  want(): void {
    this.#wanted = true
    this.#ringing ??= this.#ring()
  }

  /** Resolves when nothing is wanted any more. */
  async quiet(): Promise<void> {
    await this.#ringing
  }

  /** Gives up what is not rung yet: the next owner, or the sweep, will. */
  end(): void {
    this.#ended.abort()
  }

  async #ring(): Promise<void> {
    for (let tries = 0; this.#wanted && !this.#ended.signal.aborted;) {
      this.#wanted = false
      try {
        await Delivery.wake(this.#bridgeId, this.#ended.signal)
        tries = 0
      } catch (error) {
        this.#wanted = true
        this.#log.warn({ error, tries }, "the delivery was not woken")
        await sleep(Math.min(10_000, 100 * 2 ** tries++), undefined, { ref: false })
      }
    }
    this.#ringing = undefined
  }
}
