import type { WASocket } from "@whiskeysockets/baileys"
import { isLid, userOf } from "#core/message/jid.ts"
import { within } from "#session-host/concurrency/call-deadline.ts"
import { phonesInStanza } from "../../content/people-in-stanza.ts"
import type { GroupRights } from "../../network/connection.ts"
import type { Stanza } from "../../network/stanza.ts"
import type { Backpressure } from "../receive/read-in-order.ts"
import type { GroupCache } from "../send/group-cache.ts"
import type { Keys } from "../signal/keys.ts"

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
 * How many groups are asked for in a row to name people, and how many more each minute: a stranger may make
 * up private ids in any number of groups.
 */
const most = { atOnce: 20, aMinute: 4 }

export interface MembersInput {
  groups: Pick<GroupCache, "get" | "isForeign" | "isKnown">
  keys: Pick<Keys, "get">
  /** Finds the group, and keeps the pairs of its members. */
  groupOf: (group: string) => Promise<unknown>
  backpressure: Pick<Backpressure, "whileAsking">
  warn: (text: string) => (error: unknown) => void
}

/**
 * Asks for the members of a group while a message of the group waits. If the network does not answer soon, an
 * event that knows less is better than none: the answer is kept all the same. Never fails.
 */
export function newMembers({ groups, keys, groupOf, backpressure, warn }: MembersInput) {
  const open = new Map<string, Promise<boolean>>()
  let left = { count: most.atOnce, atMs: performance.now() }
  let pausedUntil = 0
  const sayWhy = warn("the members of a group are not known: people may go by private id, or forge changes")

  const mayName = () => {
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
  const askOnce = async (group: string) => {
    const asked = open.get(group) ?? ask(group).finally(() => open.delete(group))
    open.set(group, asked)
    return await asked
  }

  return {
    /**
     * Asks for a group of which somebody's number is not known: once, and again after news of the group.
     * @returns whether the network has told of the group now
     */
    async nameMembers(group: string): Promise<boolean> {
      const mayAsk = open.has(group) || (!groups.isKnown(group) && mayName())
      return mayAsk && (await askOnce(group))
    },
    /** `Connection.rightsIn`. Who forges changes must not be able to use up these questions. */
    async rightsIn(group: string, jid: string): Promise<GroupRights | undefined> {
      const isKnown = groups.get(group) !== undefined || groups.isForeign(group)
      if (!isKnown && performance.now() >= pausedUntil) await askOnce(group)
      const known = groups.get(group)
      const user = userOf(jid)
      const other = isLid(jid) ? `${user}_reverse` : user
      const { [other]: otherUser } = await keys.get("lid-mapping", [other])
      const name = [user, otherUser].find((each) => each && known?.members.has(each))
      return known && name ? { isAdmin: known.admins.has(name), isLocked: known.isLocked } : undefined
    },
  }
}
