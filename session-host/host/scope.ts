import { AsyncLocalStorage } from "node:async_hooks"

/** Whatever runs in here belongs to one session: an exception that nobody catches ends that session, not the process. */
export interface Scope {
  /** Something of it threw and nobody caught it. */
  fail: (error: unknown) => void
}

export const scope = new AsyncLocalStorage<Scope>()
