import { sessionUnavailable } from "#core/error.ts"

/** Runs at most so many things at once. Others wait, in order, for a limited time. */
export class Slots {
  readonly #most: number
  readonly #waitMs: number
  readonly #waiting = new Set<() => void>()
  #taken = 0

  /** `waitMs`: `Infinity` if nobody waits for an answer. */
  constructor(most: number, waitMs: number) {
    this.#most = most
    this.#waitMs = waitMs
  }

  /** @throws ApiError `session_unavailable` when no slot became free in time, and what `work` throws */
  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#taken >= this.#most) await this.#turn()
    else this.#taken++
    try {
      return await work()
    } finally {
      const [next] = this.#waiting
      // The slot passes directly to the next in line.
      if (!next) this.#taken--
      if (next) this.#waiting.delete(next)
      next?.()
    }
  }

  async #turn(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const take = () => resolve()
    const late = () => reject(sessionUnavailable("too many files are being transferred at once: try again"))
    const timer = this.#waitMs === Infinity ? undefined : setTimeout(late, this.#waitMs)
    this.#waiting.add(take)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(take)
    }
  }
}
