import type { EventEmitter } from "node:events"

/**
 * Catches errors of this emitter's listeners, thrown or in promises that nobody awaits. One connection's trouble stays its
 * own.
 */
export function contain(emitter: EventEmitter, onError: (event: string, error: unknown) => void) {
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
