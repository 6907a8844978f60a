/**
 * Reads until it finds something or the time is over, then gives what there is.
 * `listen` calls back when it is worth reading again.
 */
export async function until<T>(input: {
  read: () => T[]
  enough: number
  waitMs: number
  listen: (again: () => void) => () => void
  signal: AbortSignal
}): Promise<T[]> {
  const found = input.read()
  if (found.length >= input.enough || input.waitMs === 0) return found
  const { promise, resolve } = Promise.withResolvers<T[]>()
  const finish = () => resolve(input.read())
  let due: NodeJS.Immediate | undefined
  const look = () => {
    due = undefined
    const now = input.read()
    if (now.length >= input.enough) resolve(now)
  }
  // One look for all that happens in a turn of the loop.
  const stop = input.listen(() => (due ??= setImmediate(look)))
  const timer = setTimeout(finish, input.waitMs)
  const leave = () => resolve([])
  input.signal.addEventListener("abort", leave, { once: true })
  return promise.finally(() => {
    stop()
    if (due) clearImmediate(due)
    clearTimeout(timer)
    input.signal.removeEventListener("abort", leave)
  })
}
