import {
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type BinaryNode,
  type GroupMetadata,
} from "@whiskeysockets/baileys"
import { LRUCache } from "lru-cache"
import { userOf } from "#core/message/jid.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import type { Question } from "../../network/connection.ts"
import { type Stanza, child } from "../../network/stanza.ts"

/** The facts about a group that a send to it needs, and what its members may do. */
interface Group {
  id: string
  addressingMode: "lid" | "pn"
  /** The number of seconds after which messages disappear; 0: never. */
  ephemeralDuration: number
  /** Addresses, by their user part. */
  members: Map<string, string>
  /** The user parts of those members that are admins. */
  admins: Set<string>
  /** Whether only admins may change the group, and what is pinned in it. */
  isLocked: boolean
  /** Nobody writes in a community itself. */
  whoMayWrite: "members" | "admins" | "nobody"
}

/** How much is remembered per session, in bytes: some fifty groups of a thousand. */
const mostBytes = 3_000_000

/** About the size of a member's entry, in bytes. */
const memberBytes = 60

const ttlMs = 12 * 3600 * 1000

/** How long a group that we are not in is not asked for, unless there is news of it. */
const foreignMs = 10 * 60_000

export type GroupCache = ReturnType<typeof newGroupCache>

/**
 * The groups that a session writes to: a client that asks for them at each send is limited, and may be
 * banned. The network reports each change, also those that were made while we were away.
 */
export function newGroupCache() {
  const groups = new LRUCache<string, Group>({
    maxSize: mostBytes,
    sizeCalculation: ({ members }) => 200 + members.size * memberBytes,
    ttl: ttlMs,
  })
  const foreign = boundedCache<true>(500, { ttl: foreignMs })
  /** Groups that the network has told of, with or without room for what it said. */
  const told = boundedCache<true>(2000, { ttl: ttlMs })
  let changes = 0
  const forget = (jid: string) => {
    changes++
    for (const cache of [groups, foreign, told]) cache.delete(jid)
  }
  return {
    get: (jid: string) => groups.get(jid),
    /** Whether the network has said lately that we are not in this group, or that there is none. */
    isForeign: (jid: string) => foreign.has(jid),
    /** Whether the network has said lately who is in this group, or that we are not, with no news since. */
    isKnown: (jid: string) => told.has(jid) || foreign.has(jid),
    /** A number that rises with all news of groups. */
    get changes() {
      return changes
    },
    /**
     * Notes that the network says that we are not in this group. `asked`: the value of `changes` before the
     * network was asked.
     */
    notIn(jid: string, asked: number): void {
      // With news in between, the answer may be out of date.
      if (changes === asked) foreign.set(jid, true)
    },
    /** Forgets the group, since what is remembered of it may be wrong. */
    forget,
    /**
     * A question about a group has ended, with or without an answer. Either way the group may have changed,
     * and the network's own news of the change may come later. So the group is forgotten: no person may be
     * written to as a member who is none any more. The answer to anything but `query` may name a group with
     * some of its members, or with people who could not be added.
     */
    asked({ xmlns, to = "", children = [] }: Question, answer: Stanza | undefined): void {
      if (xmlns !== "w:g2" || children[0]?.tag === "query") return
      forget(to)
      const { id, jid = id } = child(answer, "group")?.attrs ?? {}
      if (jid) forget(jidOf(jid))
    },
    /**
     * Gets every frame: an answer may have a whole group in it, a notice may say that one group or any group
     * has changed, and who gets a group's message is in it.
     */
    onFrame(frame: BinaryNode): void {
      const { type, from } = frame.attrs
      if (frame.tag === "notification" && type === "w:gp2" && from) forget(from)
      if (frame.tag === "message" && from && foreign.has(from)) forget(from)
      if (frame.tag === "ib" && getBinaryNodeChild(frame, "dirty")?.attrs.type === "groups") {
        changes++
        for (const cache of [groups, foreign, told]) cache.clear()
      }
      const group = frame.tag === "iq" && type === "result" ? groupIn(frame) : undefined
      if (group) {
        forget(group.id)
        groups.set(group.id, group)
        told.set(group.id, true)
      }
    },
  }
}

const jids = (of: BinaryNode[]) => of.flatMap(({ attrs }) => attrs.jid ?? [])

/** Answers to other questions have a group in them, too. */
function groupIn(answer: BinaryNode): Group | undefined {
  const group = getBinaryNodeChild(answer, "group")
  const { id, creation, addressing_mode: mode } = group?.attrs ?? {}
  const people = getBinaryNodeChildren(group, "participant")
  const members = jids(people)
  if (!id || !creation || members.length === 0) return undefined
  const has = (tag: string) => getBinaryNodeChild(group, tag) !== undefined
  return {
    id: jidOf(id),
    addressingMode: mode === "lid" ? "lid" : "pn",
    ephemeralDuration: Number(getBinaryNodeChild(group, "ephemeral")?.attrs.expiration) || 0,
    members: new Map(members.map((jid) => [userOf(jid), jid])),
    admins: new Set(jids(people.filter(({ attrs }) => attrs.type?.endsWith("admin"))).map(userOf)),
    isLocked: has("locked"),
    whoMayWrite: has("parent") ? "nobody" : has("announcement") ? "admins" : "members",
  }
}

/** The JID of a group, whose server cards leave out. */
function jidOf(id: string): string {
  return id.includes("@") ? id : `${id}@g.us`
}

/** Whether the account may write in a group, as far as the network has told. */
export function mayWrite(group: Group | undefined, me: { id: string; lid?: string } | undefined): boolean {
  if (!group || group.whoMayWrite === "members") return true
  const isAdmin = [me?.id, me?.lid].some((name) => name !== undefined && group.admins.has(userOf(name)))
  return group.whoMayWrite === "admins" && isAdmin
}

/** The metadata in the form that Baileys takes. It reads only these fields. */
export function metadataOf({ id, addressingMode, ephemeralDuration, members }: Group): GroupMetadata {
  const participants = [...members.values()].map((member) => ({ id: member }))
  return { id, addressingMode, ephemeralDuration, participants } as unknown as GroupMetadata
}
