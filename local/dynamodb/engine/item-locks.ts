/**
 * Serialises the writes of each item, whether alone or in a transaction. A caller takes all its places in one step, so
 * everybody queues in the same order everywhere and nobody deadlocks.
 */
export class ItemLocks {
  readonly #lastInLine = new Map<string, Promise<void>>()

  /** Runs `work` once it alone holds `items`. */
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
