import { AsyncLocalStorage } from "node:async_hooks"

/** By when the call that is being answered has waited long enough, on this process's clock, in milliseconds. */
const deadlines = new AsyncLocalStorage<number>()

/**
 * Answers a call that may wait so many milliseconds for its session, in all: to be started, to be connected, to know its
 * people (decisions, "Errors": 5 s, of which the API has used some to find this host).
 */
export function waiting<Answer>(ms: number, answer: () => Answer): Answer {
  return deadlines.run(performance.now() + ms, answer)
}

/** How long the call that is being answered may still wait, in milliseconds; outside of a call as long as at most. */
export function mayWaitMs(atMost: number): number {
  const deadline = deadlines.getStore() ?? Infinity
  return Math.max(0, Math.min(atMost, deadline - performance.now()))
}
