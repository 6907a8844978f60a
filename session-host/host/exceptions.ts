import type { Logger } from "#core/platform/log.ts"
import { sessionScope } from "../concurrency/session-scope.ts"

/**
 * Makes an uncaught error end the session that it belongs to. An error that belongs to no session ends the
 * process.
 */
export function containExceptions(log: Logger): void {
  const contain = (error: unknown) => {
    const owner = sessionScope.getStore()
    if (owner) return owner.fail(error)
    log.fatal({ error }, "an error that belongs to no session")
    process.exit(1)
  }
  process.on("uncaughtException", contain)
  process.on("unhandledRejection", contain)
}
