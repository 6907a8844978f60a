import { AsyncLocalStorage } from "node:async_hooks"

/**
 * Code that runs in this scope belongs to one session: an exception that nobody catches ends that session, not the
 * process.
 */
export interface Scope {
  /** Called with an error of the session that nobody caught. */
  fail: (error: unknown) => void
}

export const scope = new AsyncLocalStorage<Scope>()
