import { setTimeout as sleep } from "node:timers/promises"
import { Delivery } from "#core/delivery.ts"

/**
 * Whoever was found to be delivering will see what comes soon after, too: so long after that, nobody is looked for again.
 * Then it is late by that much at the most, ms, should they have just ended.
 */
const trustsMs = 100

/** Tells the delivery of a bridge that something waits: in the background, once for many events, until it is done. */
export class Bell {
  readonly #bridgeId: string
  readonly #ended = new AbortController()
  /** From then on it waits no more for others that may be wanted. */
  readonly #hurry = new AbortController()
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
    this.#hurry.abort()
    await this.#ringing
  }

  /** Gives up what is not rung yet: the next owner, or the sweep, will. */
  end(): void {
    this.#hurry.abort()
    this.#ended.abort()
  }

  async #ring(): Promise<void> {
    while (this.#wanted && !this.#ended.signal.aborted) {
      const { signal } = this.#ended
      const anew = this.#anew
      this.#wanted = this.#anew = false
      const rang = await (anew ? Delivery.ringAnew : Delivery.wake)(this.#bridgeId, signal)
      if (rang === false) await sleep(trustsMs, undefined, { signal: this.#hurry.signal }).catch(hurried)
    }
    this.#ringing = undefined
  }
}

function hurried(): void {
  // Then it looks at once.
}
