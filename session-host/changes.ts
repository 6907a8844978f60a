/** Lets callers wait for something to become so. */
export class Changes {
  readonly #waiting = new Set<() => void>()

  /** Something may be so now: those who wait look again. */
  notify(): void {
    for (const look of this.#waiting) look()
  }

  /** Calls this whenever something may have changed, from now on. */
  watch(look: () => void): void {
    this.#waiting.add(look)
  }

  /** What `look` finds, now or within so many milliseconds. An error that it throws is passed on. */
  async until<Found>(look: () => Found | undefined, withinMs: number): Promise<Found | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Found | undefined>()
    const lookAgain = () => {
      try {
        const found = look()
        if (found !== undefined) resolve(found)
      } catch (error) {
        reject(error)
      }
    }
    const timer = setTimeout(() => resolve(undefined), withinMs)
    this.#waiting.add(lookAgain)
    lookAgain()
    try {
      return await promise
    } finally {
      this.#waiting.delete(lookAgain)
      clearTimeout(timer)
    }
  }
}
