import { AsyncLocalStorage } from "node:async_hooks"

/** When the call that is being answered has waited long enough, in milliseconds on this process's clock. */
const deadlines = new AsyncLocalStorage<number>()

/**
 * Answers a call that may wait this long for its session in all: to start, to connect, to know its people.
 * The API has used some of the 5 s to find this host (Contract, "Time to answer").
 */
export function withDeadline<Answer>(ms: number, answer: () => Answer): Answer {
  return deadlines.run(performance.now() + ms, answer)
}

/** How much longer the call being answered may wait, in milliseconds; outside a call, `atMost`. */
export function mayWaitMs(atMost: number): number {
  const deadline = deadlines.getStore() ?? Infinity
  return Math.max(0, Math.min(atMost, deadline - performance.now()))
}

/** The outcome of `work`; if it takes longer than this, that of `onLate`. The work then goes on unobserved. */
export async function within<Result>(
  ms: number,
  work: Promise<Result>,
  onLate: () => Result,
): Promise<Result> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, ms)
  try {
    return await Promise.race([work, late.promise.then(onLate)])
  } finally {
    clearTimeout(timer)
  }
}
