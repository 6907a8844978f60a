import {
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type BinaryNode,
  type GroupMetadata,
} from "@whiskeysockets/baileys"
import { LRUCache } from "lru-cache"
import { userOf } from "#core/jid.ts"
import type { Question } from "../network/connection.ts"
import { type Stanza, child } from "../network/stanza.ts"

/** The facts about a group that a send to it needs. */
interface Group {
  id: string
  addressingMode: "lid" | "pn"
  /** Seconds after which messages go; 0: never. */
  ephemeralDuration: number
  /** Addresses, by their user part. */
  members: Map<string, string>
}

/** How much is remembered per session, in bytes: some fifty groups of a thousand. */
const mostBytes = 3_000_000

/** The size of a member's entry, about. */
const memberBytes = 60

const ttlMs = 12 * 3600 * 1000

export type GroupCache = ReturnType<typeof newGroupCache>

/**
 * The groups that a session writes to: a client that asks for them at each send is limited, and may be banned. The network
 * reports each change, also those from while we were away.
 */
export function newGroupCache() {
  const groups = new LRUCache<string, Group>({
    maxSize: mostBytes,
    sizeCalculation: ({ members }) => 200 + members.size * memberBytes,
    ttl: ttlMs,
  })
  return {
    get: (jid: string) => groups.get(jid),
    /** What is remembered of the group may be wrong. */
    forget: (jid: string) => void groups.delete(jid),
    /**
     * A question about a group has ended, with or without an answer. Either way the group may have changed, and the
     * network's own news of the change may come later. So the group is forgotten: nobody may be written to as a member
     * who is none any more. The answer to anything but `query` may name a group with some of its members, or with
     * people who could not be added.
     */
    asked({ xmlns, to = "", children = [] }: Question, answer: Stanza | undefined): void {
      if (xmlns !== "w:g2" || children[0]?.tag === "query") return
      groups.delete(to)
      const id = child(answer, "group")?.attrs.id
      if (id) groups.delete(jidOf(id))
    },
    /**
     * Takes every frame: an answer may have a whole group in it, and a notice may say that one group or any group has
     * changed.
     */
    take(frame: BinaryNode): void {
      const { type, from } = frame.attrs
      if (frame.tag === "notification" && type === "w:gp2" && from) groups.delete(from)
      if (frame.tag === "ib" && getBinaryNodeChild(frame, "dirty")?.attrs.type === "groups") groups.clear()
      const group = frame.tag === "iq" && type === "result" ? groupIn(frame) : undefined
      if (group) groups.set(group.id, group)
    },
  }
}

/** Answers to other questions have a group in them, too. */
function groupIn(answer: BinaryNode): Group | undefined {
  const group = getBinaryNodeChild(answer, "group")
  const { id, creation, addressing_mode: mode } = group?.attrs ?? {}
  const members = getBinaryNodeChildren(group, "participant").flatMap(({ attrs }) => attrs.jid ?? [])
  if (!id || !creation || members.length === 0) return undefined
  return {
    id: jidOf(id),
    addressingMode: mode === "lid" ? "lid" : "pn",
    ephemeralDuration: Number(getBinaryNodeChild(group, "ephemeral")?.attrs.expiration) || 0,
    members: new Map(members.map((jid) => [userOf(jid), jid])),
  }
}

/** Cards leave the server out. */
function jidOf(id: string): string {
  return id.includes("@") ? id : `${id}@g.us`
}

/** The metadata as Baileys takes it. It reads only these fields. */
export function metadataOf({ id, addressingMode, ephemeralDuration, members }: Group): GroupMetadata {
  const participants = [...members.values()].map((member) => ({ id: member }))
  return { id, addressingMode, ephemeralDuration, participants } as unknown as GroupMetadata
}
