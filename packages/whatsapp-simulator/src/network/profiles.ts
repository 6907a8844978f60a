import { randomBytes } from "node:crypto"
import type { Passkey } from "../devices/passkey.ts"
import { pack, type Store, unpack } from "../storage/store.ts"

export interface Picture {
  id: string
  path: string
  preview: string
}

/** The profile of a business. The network vouches for its name. */
export interface Business {
  name: string
  category?: string | undefined
  description?: string | undefined
  website?: string | undefined
  email?: string | undefined
  address?: string | undefined
}

/** A person's settings, as others meet them. */
export interface Profile {
  about: string
  aboutAt: number
  picture?: Picture | undefined
  /** Companions are linked only with an assertion of this. */
  passkey?: Passkey | undefined
  /**
   * What the mex mutation set beside the about text: an emoji, and for how many seconds the text is meant.
   */
  textStatus?: { emoji?: string | undefined; duration?: number | undefined } | undefined
  /** The timer of new chats: seconds (0: none), and since when. */
  disappearing?: { duration: number; at: number }
  /** By category: the numbers of people to whom it is not shown. */
  disallowed?: Record<string, string[]>
  /**
   * A name by which strangers find the person instead of the number. While there is one, the network does not
   * tell the number.
   */
  username?: string | undefined
  /** The four digits that a stranger must also know; undefined: none. */
  usernamePin?: string | undefined
  /** By category, as the network names them: `last`, `readreceipts`... */
  privacy: Record<string, string>
  /** Numbers of contacts who do not see the statuses. Older directories have no such list. */
  statusHiddenFrom?: string[]
  /** Numbers. */
  blocked: string[]
  /** The code behind the personal QR code. */
  qr: string
  /** May not start chats: it reaches only people who have given it a token. */
  restricted: boolean
  /** Has begun as many chats as it may; it is told so, and not held to it. */
  capped?: boolean
  /** Tokens that it has given, by their holders' numbers. */
  tokens: Record<string, Buffer>
  /** Set for a business account. */
  business?: Business | undefined
  /** In groups others see the number with dots in it. */
  hidesNumber?: boolean
  /**
   * Its chats were not moved to private ids yet: it writes to people by number, and they are shown to it by
   * number.
   */
  byNumber?: boolean
  /** Its chats were moved to private ids, and it may not write by number any more. */
  notByNumber?: boolean
}

/** Profiles, by number; groups have pictures, too, under their address. */
export type Profiles = ReturnType<typeof open>

/**
 * Whether a person shows something of this category to another. It is shown to no other person (`none`), to
 * all, or to contacts, perhaps with exceptions (`contact_blacklist`). A contact proves to be one by the token
 * that the person has given them.
 */
export function isShown(
  profile: Profile,
  category: string,
  asking: { pn: string; token?: Buffer | undefined },
): boolean {
  const shownTo = profile.privacy[category] ?? "all"
  if (shownTo === "none") return false
  if (shownTo === "all") return true
  if (shownTo === "contact_blacklist" && profile.disallowed?.[category]?.includes(asking.pn)) return false
  return profile.tokens[asking.pn]?.equals(asking.token ?? Buffer.alloc(0)) === true
}

const people = ["all", "contacts", "contact_blacklist", "none"]

/** What may be set of each category (Baileys, `Types/Chat.ts`; whatsmeow, `types/user.go`). */
export const privacyValues: Record<string, string[]> = {
  last: people,
  online: ["all", "match_last_seen"],
  profile: people,
  status: people,
  readreceipts: ["all", "none"],
  groupadd: people,
  calladd: ["all", "known"],
  messages: ["all", "contacts"],
  defense: ["off", "on_standard"],
}

export const privacyCategories = Object.keys(privacyValues)

export function newQr() {
  return randomBytes(10).toString("hex").toUpperCase()
}

export function open(store: Store) {
  store.db.exec("CREATE TABLE IF NOT EXISTS profiles (pn TEXT PRIMARY KEY, data BLOB NOT NULL)")
  const select = store.db.prepare("SELECT data FROM profiles WHERE pn = ?")
  const insert = store.db.prepare("INSERT OR REPLACE INTO profiles VALUES (?, ?)")

  const known = new Map<string, Profile>()

  const save = (pn: string, profile: Profile) => {
    known.set(pn, profile)
    insert.run(pn, pack(profile))
  }
  const get = (pn: string): Profile => {
    const found = known.get(pn)
    if (found) return found
    const row = select.get(pn)
    if (row) {
      const kept = unpack(row.data) as Profile
      known.set(pn, kept)
      return kept
    }
    const made: Profile = {
      about: "",
      aboutAt: 0,
      privacy: {},
      blocked: [],
      qr: newQr(),
      restricted: false,
      tokens: {},
    }
    save(pn, made)
    return made
  }
  return {
    get,
    /** Their username. Unlike `get` it makes no profile, so that a whole address book can be asked about. */
    usernameOf(pn: string): string | undefined {
      if (known.has(pn)) return known.get(pn)?.username
      const row = select.get(pn)
      return row ? (unpack(row.data) as Profile).username : undefined
    },
    /** Changes a profile, and returns it. */
    change(pn: string, change: Partial<Profile>): Profile {
      const profile = { ...get(pn), ...change }
      save(pn, profile)
      return profile
    },
  }
}
