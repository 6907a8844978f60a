import type { Logger } from "../log.ts"
import { scope } from "./scope.ts"

/** Makes an uncaught error end the session that it belongs to; one that belongs to no session ends the process. */
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
