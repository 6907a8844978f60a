import { Delivery } from "#core/delivery.ts"

/** Tells the delivery of a bridge that something waits: in the background, once for many events, until it is done. */
export class Bell {
  readonly #bridgeId: string
  readonly #ended = new AbortController()
  #wanted = false
  #anew = false
  #ringing: Promise<void> | undefined

  constructor(bridgeId: string) {
    this.#bridgeId = bridgeId
  }

  /** Events were committed. */
  want(): void {
    this.#wanted = true
    this.#ringing ??= this.#ring()
  }

  /** Something waited, or seemed to, when the session started: it is rung for, whatever was promised before. */
  ringAnew(): void {
    this.#anew = true
    this.want()
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
      const { signal } = this.#ended
      const anew = this.#anew
      this.#wanted = this.#anew = false
      await (anew ? Delivery.ringAnew : Delivery.wake)(this.#bridgeId, signal)
    }
    this.#ringing = undefined
  }
}
