/**
 * Writes of one item go one after the other, whether alone or in a transaction. All of a caller's places are
 * taken in one step, so everybody queues everywhere in the same order and nobody waits for each other.
 */
export class ItemLocks {
  readonly #lastInLine = new Map<string, Promise<void>>()

  /** Runs `work` when it is the only one to hold `items`. */
  async holding<Result>(items: string[], work: () => Promise<Result>): Promise<Result> {
    const before = items.map((item) => this.#lastInLine.get(item))
    const { promise: done, resolve: letGo } = Promise.withResolvers<void>()
    for (const item of items) this.#lastInLine.set(item, done)
    for (const writer of before) await writer
    try {
      return await work()
    } finally {
      for (const item of items) if (this.#lastInLine.get(item) === done) this.#lastInLine.delete(item)
      letGo()
    }
  }
}
