/** Lets callers wait until a condition holds. */
export class Condition {
  readonly #waiting = new Set<() => void>()

  /** Makes every waiting caller look again, since something has changed. */
  notify(): void {
    for (const look of this.#waiting) look()
  }

  /** Calls `look` on every change from now on. */
  watch(look: () => void): void {
    this.#waiting.add(look)
  }

  /**
   * The result of `look`, as soon as it has one, or undefined after `withinMs`. An error that `look` throws
   * is passed on.
   */
  async until<Found>(look: () => Found | undefined, withinMs: number): Promise<Found | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Found | undefined>()
    const tryAgain = () => {
      try {
        const found = look()
        if (found !== undefined) resolve(found)
      } catch (error) {
        reject(error)
      }
    }
    const timer = setTimeout(() => resolve(undefined), withinMs)
    this.#waiting.add(tryAgain)
    tryAgain()
    try {
      return await promise
    } finally {
      this.#waiting.delete(tryAgain)
      clearTimeout(timer)
    }
  }
}
