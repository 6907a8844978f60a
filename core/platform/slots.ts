import { sessionUnavailable } from "../error.ts"

/** How long to wait for a slot, and the sentence for a caller who waited in vain. */
interface Patience {
  ms: number
  sentence?: string
}

/** Runs at most so many things at once. Others wait, in order, for a limited time. */
export class Slots {
  readonly #most: number
  readonly #patience: Patience
  readonly #waiting = new Set<() => void>()
  #taken = 0

  constructor(most: number, patience: Patience = { ms: Infinity }) {
    this.#most = most
    this.#patience = patience
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
    const { ms, sentence } = this.#patience
    const timer = ms === Infinity ? undefined : setTimeout(() => reject(sessionUnavailable(sentence)), ms)
    this.#waiting.add(take)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(take)
    }
  }
}
