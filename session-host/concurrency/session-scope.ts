import { AsyncLocalStorage } from "node:async_hooks"

/**
 * Code that runs in this scope belongs to one session: an exception that nobody catches ends that session,
 * not the process.
 */
export interface Scope {
  /** Called with an error of the session that nobody caught. */
  fail: (error: unknown) => void
  /**
   * Of a call: when it has waited for its session long enough, in milliseconds on this process's clock. The
   * API has used some of the 5 s to find this host (Contract, "Time to answer").
   */
  untilMs?: number
}

export const sessionScope = new AsyncLocalStorage<Scope>()
