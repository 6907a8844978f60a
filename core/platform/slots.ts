import { sessionUnavailable } from "../error.ts"

/** How long to wait for a slot, in ms, and what a caller hears who waited in vain. */
interface Patience {
  ms: number
  refusal?: () => Error
}

/**
 * They may change: a lower one holds for callers that enter from then on, a higher one once a caller leaves.
 */
interface Limits {
  /** How many things run at once in all. */
  most: number
  /** How many of these may be one owner's, such as an account's; all of them if absent. */
  each?: number
}

/**
 * Runs at most so many things at once, and at most so many of one owner. Others wait for a limited time.
 * Owners have their turns one after the other, so none waits for all that another has queued; what one owner
 * queued goes in order.
 */
export class Slots {
  readonly #limits: Limits
  readonly #patience: Patience
  /** Those who wait, by owner; the owner whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<() => void>>()
  /** By owner. */
  readonly #taken = new Map<string, number>()
  #all = 0

  constructor(limits: Limits, patience: Patience = { ms: Infinity }) {
    this.#limits = limits
    this.#patience = patience
  }

  /**
   * @throws ApiError `session_unavailable`, or the refusal, when no slot became free in time, and what `work`
   * throws
   */
  async use<Result>(work: () => Promise<Result>, owner = ""): Promise<Result> {
    const leave = await this.enter(owner)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** Takes a slot until the function that this returns is called. @throws as `use` does */
  async enter(owner = ""): Promise<() => void> {
    // The limits may have been raised since a caller left.
    if (this.#waiting.size > 0) this.#passOn()
    if (this.#mayEnter(owner) && !this.#waiting.has(owner)) this.#count(owner, 1)
    else await this.#turn(owner)
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      this.#count(owner, -1)
      this.#passOn()
    }
  }

  #mayEnter(owner: string): boolean {
    const { most, each = most } = this.#limits
    return this.#all < most && (this.#taken.get(owner) ?? 0) < each
  }

  #count(owner: string, more: 1 | -1): void {
    const taken = (this.#taken.get(owner) ?? 0) + more
    this.#all += more
    if (taken === 0) this.#taken.delete(owner)
    else this.#taken.set(owner, taken)
  }

  /** Slots pass directly to the next in line, whose owner then is the last in line. */
  #passOn(): void {
    for (const [owner, queue] of this.#waiting) {
      const [next] = queue
      if (!next || !this.#mayEnter(owner)) continue
      this.#forget(owner, next)
      const rest = this.#waiting.get(owner)
      if (rest) this.#waiting.delete(owner)
      // The loop comes to it once more.
      if (rest) this.#waiting.set(owner, rest)
      this.#count(owner, 1)
      next()
    }
  }

  #forget(owner: string, one: () => void): void {
    const queue = this.#waiting.get(owner)
    queue?.delete(one)
    if (queue?.size === 0) this.#waiting.delete(owner)
  }

  async #turn(owner: string): Promise<void> {
    const { ms, refusal = sessionUnavailable } = this.#patience
    if (ms === 0) throw refusal()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const begin = () => resolve()
    const timer = ms === Infinity ? undefined : setTimeout(() => reject(refusal()), ms)
    this.#waiting.set(owner, (this.#waiting.get(owner) ?? new Set()).add(begin))
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#forget(owner, begin)
    }
  }
}
