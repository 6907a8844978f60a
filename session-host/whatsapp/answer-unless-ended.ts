import type { Lifetime } from "./lifetime.ts"
import { redacted } from "./quiet-log.ts"
import type { OutgoingFrames } from "./send/hold-frames.ts"

/** How long after a failed write the socket may take to end by itself, ms. */
const closingMs = 1000

/**
 * Waits for an answer of the network, for as long as the connection lives.
 * @throws Error at the end of the connection
 */
export type AnswerOrEnd = <T>(answer: Promise<T>) => Promise<T>

/**
 * Baileys leaves questions open for a minute when the connection ends, and asks on a socket that is closing.
 */
export function newAnswerOrEnd(lifetime: Lifetime, frames: Pick<OutgoingFrames, "isOpen">): AnswerOrEnd {
  return async (answer) => {
    const over = Promise.withResolvers<never>()
    const stop = lifetime.atEnd(() => over.reject(new Error("the connection ended")))
    const answered = answer.catch(async (error: unknown): Promise<never> => {
      if (frames.isOpen) throw error
      // The network's last word comes with the closing.
      const detail = redacted(String(error))
      const late = setTimeout(() => lifetime.end({ reason: "lost", detail }), closingMs)
      return await over.promise.finally(() => clearTimeout(late))
    })
    try {
      return await Promise.race([answered, over.promise])
    } finally {
      stop()
    }
  }
}
