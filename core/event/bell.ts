import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises"
import { config } from "../platform/config.ts"
import { promiseAndRing, ringAnew } from "./promise-and-ring.ts"

let isLeft = false

/**
 * From now on no bell of this process rings. The process that has the store rings for each event that it
 * writes.
 */
export function leaveRingingToOthers(): void {
  isLeft = true
}

/**
 * Notifies a bridge's delivery that events wait: in the background, once for many events, until it succeeds.
 */
export class Bell {
  readonly #bridgeId: string
  readonly #ringWebhooks: typeof promiseAndRing
  readonly #ended = new AbortController()
  /** When aborted, the bell no longer waits for further events. */
  readonly #hurry = new AbortController()
  #wanted = false
  #anew = false
  #ringing: Promise<void> | undefined

  constructor(bridgeId: string, ringWebhooks = promiseAndRing) {
    this.#bridgeId = bridgeId
    this.#ringWebhooks = ringWebhooks
  }

  /** Events were committed. */
  want(): void {
    if (isLeft) return
    this.#wanted = true
    this.#ringing ??= this.#ring()
  }

  /** Rings even if another process has promised to: something seemed to wait when the session started. */
  ringAnew(): void {
    this.#anew = true
    this.want()
  }

  /** Resolves when there is nothing left to ring for. */
  async quiet(): Promise<void> {
    this.#hurry.abort()
    await this.#ringing
  }

  /** Gives up pending rings: the next owner or the sweep will ring. */
  end(): void {
    this.#hurry.abort()
    this.#ended.abort()
  }

  async #ring(): Promise<void> {
    while (this.#wanted && !this.#ended.signal.aborted) {
      // Several events of one commit need one ring.
      await nextTurn()
      const { signal } = this.#ended
      const anew = this.#anew
      this.#wanted = this.#anew = false
      const rang = await (anew ? ringAnew : this.#ringWebhooks)(this.#bridgeId, signal)
      // A deliverer is at work, and sees further events for a while.
      if (!rang) await sleep(config.BELL_TRUSTS_MS, undefined, { signal: this.#hurry.signal }).catch(hurried)
    }
    this.#ringing = undefined
  }
}

function hurried(): void {
  // The loop then looks at once.
}
