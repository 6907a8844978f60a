import { sessionScope } from "./session-scope.ts"

/**
 * How much longer the call being answered may wait for its session in all, in milliseconds: to start, to
 * connect, to know its people. Outside a call, `atMost`.
 */
export function mayWaitMs(atMost: number): number {
  const untilMs = sessionScope.getStore()?.untilMs ?? Infinity
  return Math.max(0, Math.min(atMost, untilMs - performance.now()))
}

/**
 * The outcome of `work`; if that takes longer than `ms`, the outcome of `onLate`. The work then goes on
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
