/** The time that is written down, in Unix seconds. What a process measures for itself uses `performance.now()`. */
export function now(): number {
  return Math.floor(Date.now() / 1000)
}

/** The time that is written down where seconds are too coarse, in Unix milliseconds. */
export function nowMs(): number {
  return Date.now()
}

/** ISO 8601 in UTC, of Unix milliseconds. */
export function iso(ms: number): string {
  return new Date(ms).toISOString()
}
