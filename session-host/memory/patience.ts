import { setTimeout as sleep } from "node:timers/promises"
import { isPassing } from "#core/store.ts"
import { SessionEnded } from "../session-ended.ts"

/**
 * How a session waits for its store. Baileys must never hear that the store failed: it would answer a message with a
 * nack, and what was nacked never comes back. So reads are repeated until they are answered or the session has ended.
 */
export class Patience {
  readonly #late: { afterMs: number; call: () => void }
  readonly #ended: AbortSignal

  /** @param late called each time something has gone without an answer for so long. */
  constructor(late: { afterMs: number; call: () => void }, ended: AbortSignal) {
    this.#late = late
    this.#ended = ended
  }

  /** @throws SessionEnded; or ValidationException: what was asked for can be in no store. */
  async read<Found>(ask: () => Promise<Found>): Promise<Found> {
    return await this.watch(this.#repeat(ask))
  }

  /** Notices when this takes too long. */
  async watch<Result>(work: Promise<Result>): Promise<Result> {
    const timer = setTimeout(this.#late.call, this.#late.afterMs)
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
        // It says nothing of what was asked for: whoever asked must not take it for an answer.
        if (!isPassing(error)) throw new SessionEnded("the store refused a read", { cause: error })
        await sleep(Math.min(1000, 20 * 2 ** tries))
      }
    }
  }
}
