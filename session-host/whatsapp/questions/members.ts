import type { WASocket } from "@whiskeysockets/baileys"
import { within } from "#session-host/concurrency/call-deadline.ts"
import { phonesInStanza } from "../../content/people-in-stanza.ts"
import type { Stanza } from "../../network/stanza.ts"
import type { Backpressure } from "../receive/backpressure.ts"
import type { GroupCache } from "../send/group-cache.ts"

/**
 * Keeps whose private id belongs to whose number, as the network says it of a group's members: nothing else
 * names those who have not written yet. A list of all groups is no case for this: it may name a hundred
 * thousand people, of whom nobody may ever be heard.
 */
export async function storePairs(
  { signalRepository }: Pick<WASocket, "signalRepository">,
  stanza: Stanza | undefined,
): Promise<void> {
  const pairs = [...(stanza ? phonesInStanza(stanza) : [])].map(([lid, pn]) => ({ lid, pn }))
  await signalRepository.lidMapping.storeLIDPNMappings(pairs)
}

/** Events wait behind this question, all of the bridge's. */
const answerMs = 1_500

/** How long no group is asked for after the network has refused a question or left it unanswered. */
const pauseMs = 60_000

/**
 * How many groups are asked for in a row, and how many more each minute: a stranger may make up private ids
 * in any number of groups.
 */
const most = { atOnce: 20, aMinute: 4 }

export interface MembersInput {
  groups: Pick<GroupCache, "isKnown">
  /** Finds the group, and keeps the pairs of its members. */
  groupOf: (group: string) => Promise<unknown>
  backpressure: Pick<Backpressure, "whileAsking">
  warn: (text: string) => (error: unknown) => void
}

/**
 * Asks for the members of a group of which somebody's number is not known. Each group is asked for once, and
 * again after news of it. If the network does not answer soon, an event without the number is better than
 * none: its answer is kept all the same. Never fails.
 * @returns a function whose promise says whether the network has told of the group now
 */
export function newAskForMembers({ groups, groupOf, backpressure, warn }: MembersInput) {
  const open = new Map<string, Promise<boolean>>()
  let left = { count: most.atOnce, atMs: performance.now() }
  let pausedUntil = 0
  const sayWhy = warn("the members of a group are not known: somebody may go by private id")

  const mayAsk = () => {
    const atMs = performance.now()
    const gained = ((atMs - left.atMs) / 60_000) * most.aMinute
    const count = Math.min(most.atOnce, left.count + gained)
    if (atMs < pausedUntil || count < 1) return false
    left = { count: count - 1, atMs }
    return true
  }
  const withoutAnswer = (error: unknown) => {
    pausedUntil = performance.now() + pauseMs
    sayWhy(error)
    return false
  }
  const ask = async (group: string) => {
    const asked = groupOf(group).then(() => true, withoutAnswer)
    const late = () => withoutAnswer(new Error(`no answer in ${answerMs} ms`))
    return await backpressure.whileAsking(() => within(answerMs, asked, late))
  }

  return async (group: string): Promise<boolean> => {
    const asking = open.get(group)
    if (asking) return await asking
    if (groups.isKnown(group) || !mayAsk()) return false
    const asked = ask(group).finally(() => open.delete(group))
    open.set(group, asked)
    return await asked
  }
}
