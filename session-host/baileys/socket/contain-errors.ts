import type { EventEmitter } from "node:events"

/**
 * Catches what this emitter's listeners throw, now or by a promise nobody awaits, so that one connection's trouble
 * stays its own.
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
