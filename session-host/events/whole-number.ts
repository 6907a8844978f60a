/** A whole number as a stranger wrote it, where JSON and the contract have it; else 0. */
export function whole(given: unknown): number {
  const number = Number(given ?? 0)
  return Number.isSafeInteger(number) ? number : 0
}
