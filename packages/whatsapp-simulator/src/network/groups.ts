import { randomBytes } from "node:crypto"
import { now } from "../clock.ts"
import { openCollection } from "../storage/collection.ts"
import type { Store } from "../storage/store.ts"
import * as Jid from "../wire/jid.ts"
import type { Mode } from "./addressing.ts"

/** How many members a group has at the most. */
export const mostMembers = 1024

/** A member's rights; the group's maker is the super-admin. */
export type Role = "superadmin" | "admin" | "member"

export interface Member {
  pn: string
  role: Role
}

export interface Group {
  /** Digits; the address is `id@g.us`. */
  id: string
  subject: string
  subjectAt: number
  subjectBy: string
  createdAt: number
  createdBy: string
  /** How members are named to one another. It never changes. */
  mode: Mode
  members: Member[]
  /**
   * A number that grows with each change of members; before the first change, the time when the group was
   * made.
   */
  membersVersion?: number
  description?: { id: string; text: string; by: string; at: number }
  /** Only admins write. */
  announcement: boolean
  /**
   * A number that grows with each change of `announcement`; before the first, the time when the group was
   * made.
   */
  announcementVersion?: number
  /** Only admins change subject, description and settings. */
  locked: boolean
  /** Whether people have to ask to join, and admins decide. */
  approval: boolean
  /** The people who have asked. */
  asking?: { pn: string; at: number }[]
  allAdd: boolean
  /** Further settings by their tags, with their content. Older groups have none. */
  settings?: Record<string, string>
  /** Seconds after which messages go, 0: never. */
  ephemeral: number
  invite: string
  /** The group's earlier codes: they lead nowhere any more. */
  formerInvites?: string[]
  /** Personal invitations of people who may not be added. */
  invitations?: { pn: string; by: string; code: string; expiration: number }[]
  /** The people whom an admin has removed: the link does not let them in again. */
  removed?: string[]
  /** The people who have left, and when. */
  left?: { pn: string; at: number }[]
  /** It is a community: a group of groups, in which no messages are written. */
  isCommunity?: boolean
  /** The id of the community that it is part of. */
  community?: string
  /** Its purpose there. */
  role?: "announcements" | "general"
}

type New = Pick<Group, "id" | "subject" | "mode" | "members"> &
  Partial<
    Pick<
      Group,
      "announcement" | "locked" | "allAdd" | "ephemeral" | "approval" | "isCommunity" | "community" | "role"
    >
  > & { by: string }

/** A group that was made just now, by this person. */
export function newGroup({ by, ...more }: New): Group {
  const made = { subjectAt: now(), subjectBy: by, createdAt: now(), createdBy: by, invite: newInvite() }
  const settings = { announcement: false, locked: false, approval: false, allAdd: true, ephemeral: 0 }
  return { ...made, ...settings, ...more }
}

export function newInvite(): string {
  return randomBytes(16).toString("base64url")
}

/** All groups, in memory and in the store. */
export type Groups = ReturnType<typeof open>

export function open(store: Store) {
  const { get, list, save, remove } = openCollection<Group>(store, "groups")
  return {
    save,
    remove,
    list,
    get,
    /** By address. */
    find: (jid: Jid.Jid | undefined) => (jid?.server === "g.us" ? get(jid.user) : undefined),
    byInvite: (code: string) => list().find(({ invite }) => invite === code),
    byFormerInvite: (code: string) => list().find(({ formerInvites }) => formerInvites?.includes(code)),
    /** The groups that this person is in. */
    of: (pn: string) => list().filter((group) => roleOf(group, pn)),
  }
}

export function jidOf(group: Group) {
  return Jid.format(group.id, "g.us")
}

/** This person's role in the group; undefined if they are not in it. */
export function roleOf(group: Group, pn: string): Role | undefined {
  return group.members.find((member) => member.pn === pn)?.role
}

export function isAdmin(group: Group, pn: string) {
  return ["admin", "superadmin"].includes(roleOf(group, pn) ?? "")
}
