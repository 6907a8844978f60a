import type { EventEmitter } from "node:events"
import type { Lifetime } from "./lifetime.ts"
import { type ILogger, redacted } from "./quiet-log.ts"

/** Decides about an error that a listener for this event threw. */
export type OnError = (event: string, error: unknown) => void

/**
 * Catches errors of this emitter's listeners, both thrown ones and those of promises that are not awaited, so
 * that a fault of one connection harms no other.
 */
export function containErrors(emitter: EventEmitter, onError: OnError) {
  for (const event of emitter.eventNames()) {
    for (const listener of emitter.listeners(event)) {
      // The emitter's own type gives up on listeners of any shape.
      const call = listener as (...args: unknown[]) => unknown
      emitter.removeListener(event, call)
      const report = (error: unknown) => onError(String(event), error)
      emitter.on(event, (...args) => {
        try {
          const result = call(...args)
          if (result instanceof Promise) result.catch(report)
        } catch (error) {
          report(error)
        }
      })
    }
  }
}

/** Ends the connection at an error that makes it worthless, and logs any other error. */
export function endOrLog(lifetime: Pick<Lifetime, "isOver" | "end">, log: ILogger): OnError {
  return (event: string, error: unknown) => {
    if (lifetime.isOver) return
    log.error({ error }, `a listener of ${event} failed`)
    // Only this stanza is bad. If it ended the connection, the stanza would come again with each new
    // connection, and end that one's login, too.
    if (event.startsWith("CB:") || (event === "message" && !isForged(error))) return
    lifetime.end({ reason: "lost", detail: `${event}: ${redacted(String(error))}` })
  }
}

/**
 * Whether the server did not encrypt this frame. A frame that the server did encrypt may be unreadable, too.
 */
function isForged(error: unknown): boolean {
  return String(error).includes("unable to authenticate data")
}
