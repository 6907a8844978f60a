import { AsyncLocalStorage } from "node:async_hooks"

/**
 * Code that runs in this scope belongs to one session: an uncaught exception ends that session, not the
 * process.
 */
export interface Scope {
  /** Called with an uncaught error of the session. */
  fail: (error: unknown) => void
  /**
   * Of a call: the latest time until which it waits for its session, in milliseconds on this process's clock.
   * The API has used some of the 5 s to find this host (Contract, "Time to answer").
   */
  untilMs?: number
}

export const sessionScope = new AsyncLocalStorage<Scope>()
