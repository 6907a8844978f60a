import { setTimeout as sleep } from "node:timers/promises"
import { isStoreFault } from "#core/store/store.ts"
import { SessionEnded } from "./session-ended.ts"

/**
 * How a session waits for its store. Baileys must never see the store fail: Baileys would answer a message
 * with a nack, and the network would never send that message again. So reads are repeated until they are
 * answered or the session has ended.
 */
export class Patience {
  readonly #late: { afterMs: number; call: () => void }
  readonly #ended: AbortSignal

  /** @param late called each time a request has gone unanswered for `afterMs`. */
  constructor(late: { afterMs: number; call: () => void }, ended: AbortSignal) {
    this.#late = late
    this.#ended = ended
  }

  /** @throws SessionEnded; or ValidationException if no store could hold what was asked for. */
  async read<Found>(ask: () => Promise<Found>): Promise<Found> {
    return await this.watch(this.#repeat(ask))
  }

  /** Reports work that takes too long. @param waitedMs how long the work has already taken */
  async watch<Result>(work: Promise<Result>, waitedMs = 0): Promise<Result> {
    const timer = setTimeout(this.#late.call, Math.max(0, this.#late.afterMs - waitedMs))
    try {
      return await work
    } finally {
      clearTimeout(timer)
    }
  }

  async #repeat<Found>(ask: () => Promise<Found>): Promise<Found> {
    for (let tries = 0; ; tries++) {
      if (this.#ended.aborted) throw new SessionEnded("the session has ended")
      try {
        return await ask()
      } catch (error) {
        if (error instanceof Error && error.name === "ValidationException") throw error
        // A refused read says nothing about the row: the caller must not take the refusal for an answer.
        if (!isStoreFault(error)) throw new SessionEnded("the store refused a read", { cause: error })
        await sleep(Math.min(1000, 20 * 2 ** tries))
      }
    }
  }
}
