const leftovers = new Set<() => Promise<unknown>>()

/**
 * Closes this when its test file has ended, unless it has been closed by then: a process may have further
 * files.
 */
export function closeAtEnd(close: () => Promise<unknown>): void {
  leftovers.add(close)
}

/** Closes what the test file that ends has left. */
export async function closeLeftovers(): Promise<void> {
  const closing = [...leftovers].map((close) => close())
  leftovers.clear()
  await Promise.all(closing)
}
