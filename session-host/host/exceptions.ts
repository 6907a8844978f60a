import type { Logger } from "#core/platform/log.ts"
import { AsyncLocalStorage } from "node:async_hooks"

/** Makes an uncaught error end the session that it belongs to. An error that belongs to no session ends the process. */
export function containExceptions(log: Logger): void {
  const contain = (error: unknown) => {
    const owner = scope.getStore()
    if (owner) return owner.fail(error)
    log.fatal({ error }, "an error that belongs to no session")
    process.exit(1)
  }
  process.on("uncaughtException", contain)
  process.on("unhandledRejection", contain)
}

/**
 * Code that runs in this scope belongs to one session: an exception that nobody catches ends that session, not the
 * process.
 */
export interface Scope {
  /** Called with an error of the session that nobody caught. */
  fail: (error: unknown) => void
  /**
   * Of a call: when it has waited for its session long enough, in milliseconds on this process's clock. The API has used some of
   * the 5 s to find this host (Contract, "Time to answer").
   */
  untilMs?: number
}

export const scope = new AsyncLocalStorage<Scope>()
