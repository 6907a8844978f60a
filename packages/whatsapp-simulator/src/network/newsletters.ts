import { randomBytes } from "node:crypto"
import { newItemId, openCollection } from "../storage/collection.ts"
import type { Store } from "../storage/store.ts"
import * as Jid from "../wire/jid.ts"

/** A message of a newsletter: numbered by the network, and not encrypted. */
interface Post {
  serverId: number
  id: string
  at: number
  type: string
  plaintext: Buffer
  /** Emoji, by the phone number of who has reacted. */
  reactions?: Record<string, string>
}

export interface Newsletter {
  /** Digits; the address is `id@newsletter`. */
  id: string
  name: string
  description: string
  createdAt: number
  invite: string
  /** Phone numbers: the owner alone writes, followers read. */
  owner: string
  followers: string[]
  muted: string[]
  posts: Post[]
}

/** All newsletters, in memory and in the store. */
export type Newsletters = ReturnType<typeof open>

export function open(store: Store) {
  const { get, list, save } = openCollection<Newsletter>(store, "newsletters")
  return {
    save,
    create(made: Pick<Newsletter, "name" | "description" | "owner" | "createdAt">): Newsletter {
      const invite = randomBytes(12).toString("base64url")
      const newsletter = { id: newItemId(), invite, ...made, followers: [], muted: [], posts: [] }
      save(newsletter)
      return newsletter
    },
    /** By address. */
    find: (jid: Jid.Jid | undefined) => (jid?.server === "newsletter" ? get(jid.user) : undefined),
    byInvite: (code: string) => list().find(({ invite }) => invite === code),
    /** The newsletters that a person owns or follows. */
    of: (pn: string) => list().filter((each) => roleIn(each, pn) !== "GUEST"),
  }
}

export function jidOf({ id }: Newsletter): string {
  return Jid.format(id, "newsletter")
}

/** A person's role, in the network's words. */
export function roleIn({ owner, followers }: Newsletter, pn: string): "OWNER" | "SUBSCRIBER" | "GUEST" {
  if (owner === pn) return "OWNER"
  return followers.includes(pn) ? "SUBSCRIBER" : "GUEST"
}
