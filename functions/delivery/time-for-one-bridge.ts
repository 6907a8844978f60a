import { config } from "#core/platform/config.ts"

export type TimeLimit = ReturnType<typeof newTimeLimit>

/**
 * The time of one delivery, from now on. It ends earlier for a slow receiver: hundreds of those with a
 * backlog would otherwise occupy every delivery that may run at once, and all other bridges would wait for
 * one to end.
 * @param stopping aborted when this process is to end: the delivery is then over
 */
export function newTimeLimit(stopping?: AbortSignal) {
  /** 45 of an invocation's 60 s, so that the last attempt begun can end in time. */
  const mostMs = (config.DELIVERY_CLAIM_S * 1000) / 2
  /**
   * A receiver that takes longer than a second to answer is slow: it gets 5 s, then others have their turn.
   */
  const slow = { mostMs: mostMs / 9, answerMs: mostMs / 45 }
  const start = performance.now()
  let isSlow = false
  return {
    /** The receiver took so long over its last answer, ms. */
    answered(ms: number): void {
      isSlow = ms > slow.answerMs
    },
    isOver: () => stopping?.aborted === true || performance.now() - start > (isSlow ? slow.mostMs : mostMs),
  }
}
