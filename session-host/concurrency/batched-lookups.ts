/**
 * Batches look-ups: one request is under way at a time, and the next one takes all names that were asked for
 * meanwhile.
 */
export class BatchedLookups<Name, Found> {
  readonly #find: (names: Name[]) => Promise<Found[]>
  #waiting: { name: Name; found: PromiseWithResolvers<Found> }[] = []
  #isAsking = false

  /** @param find returns what it found for each name, in the order of the names. */
  constructor(find: (names: Name[]) => Promise<Found[]>) {
    this.#find = find
  }

  /** @throws as `find` does */
  async find(name: Name): Promise<Found> {
    const found = Promise.withResolvers<Found>()
    this.#waiting.push({ name, found })
    if (!this.#isAsking) void this.#ask()
    return await found.promise
  }

  async #ask(): Promise<void> {
    this.#isAsking = true
    // Look-ups made in the same turn of the event loop go together.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const asked = this.#waiting.splice(0)
      try {
        const all = await this.#find(asked.map(({ name }) => name))
        for (const [i, { found }] of asked.entries()) found.resolve(all[i]!)
      } catch (error) {
        for (const { found } of asked) found.reject(error)
      }
    }
    this.#isAsking = false
  }
}
