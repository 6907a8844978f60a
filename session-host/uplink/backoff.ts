const firstMs = 500
const mostMs = 60_000
/** A connection that lasted this long counts as good, in ms. */
const goodMs = 10_000

/**
 * The waits between attempts to connect: doubled each time and randomised, so that sessions do not dial at
 * once.
 */
export class Backoff {
  #failures = 0
  #askedAtOnce = false
  #openedAt: number | undefined

  /** How long to wait now, in milliseconds. */
  next(): number {
    const wait = Math.min(mostMs, firstMs * 2 ** this.#failures++)
    return wait * (0.5 + Math.random() / 2)
  }

  /** Returns no wait, but only once until there was a good connection. */
  onceAtOnce(): number {
    if (this.#askedAtOnce) return this.next()
    this.#askedAtOnce = true
    return 0
  }

  opened(): void {
    this.#openedAt = performance.now()
  }

  closed(): void {
    const wasGood = this.#openedAt !== undefined && performance.now() - this.#openedAt > goodMs
    this.#openedAt = undefined
    if (!wasGood) return
    this.#failures = 0
    this.#askedAtOnce = false
  }
}
