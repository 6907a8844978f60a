import type { LIDMapping } from "@whiskeysockets/baileys"
import { userOf } from "#core/message/jid.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import { within } from "#session-host/concurrency/call-deadline.ts"
import { NetworkRejected } from "#session-host/network/errors.ts"
import { answerInTime } from "../questions/ask.ts"
import type { ILogger } from "../quiet-log.ts"

type Ask = (jids: string[]) => Promise<LIDMapping[] | undefined>

/** Every message of the bridge waits behind this question: Baileys decrypts one at a time. */
const answerMs = 2_500
/** For how long (ms) and of how many people it is remembered that the network knows no LID of a person. */
const unknown = { ttl: 6 * 3600_000, most: 10_000 }
/** How long no question is asked after the network has refused one or left it unanswered, in ms. */
const pauseMs = 30_000

/**
 * Baileys' question for the LIDs of phone numbers. If the network refuses it or does not answer, no LID is
 * known, and Baileys goes on under the number: an error here would make it give up the author's message for
 * good. Baileys would also ask up to four times for each message of a person who has no LID, so that is
 * remembered for some hours. Fails only when the connection has ended.
 */
export function newAskForLids(lidsOf: Ask, log: ILogger): Ask {
  let pausedUntil = 0
  const withoutLid = boundedCache<true>(unknown.most, unknown)
  const withoutAnswer = (why: object): undefined => {
    pausedUntil = performance.now() + pauseMs
    log.warn(why, "the network did not say whose LID belongs to a number: going on under the number")
    return undefined
  }

  return async (all) => {
    const jids = all.filter((jid) => !withoutLid.has(userOf(jid)))
    if (jids.length === 0 || performance.now() < pausedUntil) return []
    const asked = answerInTime(lidsOf(jids)).catch((error: unknown) => {
      if (error instanceof NetworkRejected) return withoutAnswer({ error })
      throw error
    })
    const found = await within(answerMs, asked, () => withoutAnswer({ answerMs }))
    const named = new Set(found?.filter(({ lid }) => lid).map(({ pn }) => userOf(pn)))
    if (found) for (const jid of jids) if (!named.has(userOf(jid))) withoutLid.set(userOf(jid), true)
    return found ?? []
  }
}
