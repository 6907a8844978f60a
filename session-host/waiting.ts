import { AsyncLocalStorage } from "node:async_hooks"

/** When the call that is being answered has waited long enough, in milliseconds on this process's clock. */
const deadlines = new AsyncLocalStorage<number>()

/**
 * Answers a call that may wait this long for its session in all: to start, to connect, to know its people (decisions,
 * "Errors": 5 s, some of which the API has used to find this host).
 */
export function waiting<Answer>(ms: number, answer: () => Answer): Answer {
  return deadlines.run(performance.now() + ms, answer)
}

/** How much longer the call being answered may wait, in milliseconds; outside a call, `atMost`. */
export function mayWaitMs(atMost: number): number {
  const deadline = deadlines.getStore() ?? Infinity
  return Math.max(0, Math.min(atMost, deadline - performance.now()))
}
