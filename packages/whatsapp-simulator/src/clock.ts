/** Unix seconds, as stanzas carry them. */
export function now(): number {
  return Math.floor(Date.now() / 1000)
}
