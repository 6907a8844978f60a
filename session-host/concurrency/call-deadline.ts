import { sessionScope } from "./session-scope.ts"

/**
 * How much longer the call that is being answered may wait for its session, in milliseconds: for its start,
 * its connection and its contacts. Outside a call, `atMost`.
 */
export function mayWaitMs(atMost: number): number {
  const untilMs = sessionScope.getStore()?.untilMs ?? Infinity
  return Math.max(0, Math.min(atMost, untilMs - performance.now()))
}

/**
 * The outcome of `work`; if `work` takes longer than `ms`, the outcome of `onLate`. The work then goes on
 * unobserved.
 */
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
