/** The time for records, in Unix seconds. For measuring within a process use `performance.now()`. */
export function now(): number {
  return Math.floor(Date.now() / 1000)
}

/** The time for records where seconds are too coarse, in Unix milliseconds. */
export function nowMs(): number {
  return Date.now()
}

/** Unix milliseconds as ISO 8601 in UTC. */
export function iso(ms: number): string {
  return new Date(ms).toISOString()
}
