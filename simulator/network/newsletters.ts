import { randomBytes, randomInt } from "node:crypto"
import { pack, type Store, unpack } from "../store.ts"
import * as Jid from "../wire/jid.ts"

/** A message of a newsletter: numbered by the network, and not encrypted. */
interface Post {
  serverId: number
  id: string
  at: number
  type: string
  plaintext: Buffer
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
  store.db.exec("CREATE TABLE IF NOT EXISTS newsletters (id TEXT PRIMARY KEY, data BLOB NOT NULL)")
  const all = new Map<string, Newsletter>()
  const insert = store.db.prepare("INSERT OR REPLACE INTO newsletters VALUES (?, ?)")
  for (const row of store.db.prepare("SELECT data FROM newsletters").all()) {
    const newsletter = unpack(row.data) as Newsletter
    all.set(newsletter.id, newsletter)
  }
  const save = (newsletter: Newsletter) => {
    all.set(newsletter.id, newsletter)
    insert.run(newsletter.id, pack(newsletter))
  }
  return {
    save,
    create(made: Pick<Newsletter, "name" | "description" | "owner" | "createdAt">): Newsletter {
      const id = `120363${String(randomInt(10 ** 12)).padStart(12, "0")}`
      const invite = randomBytes(12).toString("base64url")
      const newsletter = { id, invite, ...made, followers: [], muted: [], posts: [] }
      save(newsletter)
      return newsletter
    },
    /** By address. */
    find: (jid: Jid.Jid | undefined) => (jid?.server === "newsletter" ? all.get(jid.user) : undefined),
    byInvite: (code: string) => [...all.values()].find(({ invite }) => invite === code),
    /** The newsletters that a person owns or follows. */
    of: (pn: string) => [...all.values()].filter((each) => roleIn(each, pn) !== "GUEST"),
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
