import { sessionUnavailable } from "#core/error.ts"

/** Lets so many do something at once; the others wait, in order, and not for longer than may be. */
export class Slots {
  readonly #most: number
  readonly #waitMs: number
  readonly #waiting = new Set<() => void>()
  #taken = 0

  /** `waitMs`: `Infinity` for whoever has nobody waiting for an answer. */
  constructor(most: number, waitMs: number) {
    this.#most = most
    this.#waitMs = waitMs
  }

  /** @throws ApiError `session_unavailable` when none became free in time, and what `work` throws */
  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#taken >= this.#most) await this.#turn()
    else this.#taken++
    try {
      return await work()
    } finally {
      const [next] = this.#waiting
      // The slot passes from hand to hand.
      if (!next) this.#taken--
      if (next) this.#waiting.delete(next)
      next?.()
    }
  }

  async #turn(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const take = () => resolve()
    const late = () => reject(sessionUnavailable("too many media at once: try again"))
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
