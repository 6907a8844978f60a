import {
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type BinaryNode,
  type GroupMetadata,
} from "@whiskeysockets/baileys"
import { LRUCache } from "lru-cache"
import { userOf } from "#core/jid.ts"

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

export type Groups = ReturnType<typeof newGroups>

/**
 * The groups that a session writes to: a client that asks for them at each send is limited, and may be banned. The network
 * reports each change, also those from while we were away.
 */
export function newGroups() {
  const groups = new LRUCache<string, Group>({
    maxSize: mostBytes,
    sizeCalculation: ({ members }) => 200 + members.size * memberBytes,
    ttl: ttlMs,
  })
  return {
    get: (jid: string) => groups.get(jid),
    /** Something about it is not as we think. */
    forget: (jid: string) => void groups.delete(jid),
    /** Takes every frame: an answer may have a whole group in it, and a notice may say that one or any has changed. */
    take(frame: BinaryNode): void {
      const { type, from } = frame.attrs
      if (frame.tag === "notification" && type === "w:gp2" && from) groups.delete(from)
      if (frame.tag === "ib" && getBinaryNodeChild(frame, "dirty")?.attrs.type === "groups") groups.clear()
      const group = frame.tag === "iq" && type === "result" ? groupIn(frame) : undefined
      if (group) groups.set(group.id, group)
    },
  }
}

/** Answers to other questions have a group in them, too, but without its members. */
function groupIn(answer: BinaryNode): Group | undefined {
  const group = getBinaryNodeChild(answer, "group")
  const { id, creation, addressing_mode: mode } = group?.attrs ?? {}
  const members = getBinaryNodeChildren(group, "participant").flatMap(({ attrs }) => attrs.jid ?? [])
  if (!id || !creation || members.length === 0) return undefined
  return {
    id: id.includes("@") ? id : `${id}@g.us`,
    addressingMode: mode === "lid" ? "lid" : "pn",
    ephemeralDuration: Number(getBinaryNodeChild(group, "ephemeral")?.attrs.expiration) || 0,
    members: new Map(members.map((jid) => [userOf(jid), jid])),
  }
}

/** The metadata as Baileys takes it. It reads only these fields. */
export function metadataOf({ id, addressingMode, ephemeralDuration, members }: Group): GroupMetadata {
  const participants = [...members.values()].map((member) => ({ id: member }))
  return { id, addressingMode, ephemeralDuration, participants } as unknown as GroupMetadata
}
