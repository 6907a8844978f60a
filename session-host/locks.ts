/** Runs `work` alone for each of its keys. */
export type Hold = <T>(keys: string[], work: () => Promise<T>) => Promise<T>

/**
 * One at a time per key, in the order of asking. Several keys are queued for in one step, so two takers of the same
 * keys never wait for each other. Whoever works must not ask for more: it could wait for itself.
 */
export function newLocks(): Hold {
  const tails = new Map<string, Promise<void>>()
  return async (keys, work) => {
    const before = keys.flatMap((key) => tails.get(key) ?? [])
    const { promise: done, resolve: release } = Promise.withResolvers<void>()
    for (const key of keys) tails.set(key, done)
    try {
      await Promise.all(before)
      return await work()
    } finally {
      release()
      for (const key of keys) if (tails.get(key) === done) tails.delete(key)
    }
  }
}
