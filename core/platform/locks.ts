/** Runs `work` while it alone holds each of these keys. */
export type Hold = <T>(keys: string[], work: () => Promise<T>) => Promise<T>

/**
 * Locks by key, granted in the order of requests. Several keys are queued for in one step, so two takers of
 * the same keys never wait for each other. `work` must not ask for more keys: it could wait for itself.
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

/** Runs `work` after all work that was given earlier has ended, however it ended. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

export function newTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return async (work) => {
    const result = last.then(work)
    // The caller sees the error; the next one only waits for the end.
    last = result.catch(() => {})
    return await result
  }
}
