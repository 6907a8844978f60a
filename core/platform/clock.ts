/** The time for records, in Unix seconds. For measuring within a process use `performance.now()`. */
export function now(): number {
  return Math.floor(Date.now() / 1000)
}

/** The time for records where seconds are too coarse, in Unix milliseconds. */
export function nowMs(): number {
  return Date.now()
}

/**
 * How much is left of a wait of this length that ends at `end`; 0 when it is over. All three are in one unit.
 * A wait that would begin in the future never began: the clock was set back since. Clocks may differ by less
 * than the length.
 */
export function timeLeft(end: number, length: number, at = now()): number {
  return end > at && end <= latestEnd(length, at) ? Math.min(length, end - at) : 0
}

/**
 * The latest end that a wait of this length may have. One with a later end is over, also in the conditions of
 * writes.
 */
export function latestEnd(length: number, at = now()): number {
  return at + 2 * length
}

/** Unix milliseconds as ISO 8601 in UTC. */
export function iso(ms: number): string {
  return new Date(ms).toISOString()
}

let isDoubted = (): boolean => false

/**
 * Whether this machine's clock may be days ahead. Then nothing is given up because of its age, since that
 * could not be undone once the clock is right. On AWS the clock is Amazon's, and is not doubted.
 */
export function isClockDoubted(): boolean {
  return isDoubted()
}

/** Says who knows whether the clock is doubted. @returns a function that undoes it */
export function askWhetherDoubted(ask: () => boolean): () => void {
  const before = isDoubted
  isDoubted = ask
  return () => {
    isDoubted = before
  }
}
