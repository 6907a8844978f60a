import type { LIDMapping } from "@whiskeysockets/baileys"
import { within } from "#session-host/concurrency/call-deadline.ts"
import { NetworkRejected } from "#session-host/network/errors.ts"
import { answered } from "../questions/ask.ts"
import type { ILogger } from "../quiet-log.ts"

type Ask = (jids: string[]) => Promise<LIDMapping[] | undefined>

/** Every message of the bridge waits behind this question: Baileys decrypts one at a time. */
const answerMs = 2_500
/** How long nobody is asked after the network has refused a question or left it unanswered. */
const pauseMs = 30_000

/**
 * Baileys' question for the LIDs of phone numbers. If the network refuses it or does not answer, no LID is known: Baileys
 * then goes on under the number. It would give up a message for good whose author's LID it may not ask for.
 * Fails only when the connection has ended.
 */
export function askForLids(lidsOf: Ask, log: ILogger): Ask {
  let pausedUntil = 0
  const withoutAnswer = (why: object): LIDMapping[] => {
    pausedUntil = performance.now() + pauseMs
    log.warn(why, "the network did not say whose LID belongs to a number: going on under the number")
    return []
  }

  return async (jids) => {
    if (performance.now() < pausedUntil) return []
    const asked = answered(lidsOf(jids)).catch((error: unknown) => {
      if (error instanceof NetworkRejected) return withoutAnswer({ error })
      throw error
    })
    return await within(answerMs, asked, () => withoutAnswer({ answerMs }))
  }
}
