import { Delivery } from "#core/delivery.ts"

/** Tells the delivery of a bridge that something waits: in the background, once for many events, until it is done. */
export class Bell {
  readonly #bridgeId: string
  readonly #ended = new AbortController()
  #wanted = false
  #ringing: Promise<void> | undefined

  constructor(bridgeId: string) {
    this.#bridgeId = bridgeId
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
    while (this.#wanted && !this.#ended.signal.aborted) {
      this.#wanted = false
      await Delivery.wake(this.#bridgeId, this.#ended.signal)
    }
    this.#ringing = undefined
  }
}
