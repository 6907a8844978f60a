import { setImmediate as nextTurn } from "node:timers/promises"
import { LRUCache } from "lru-cache"
import { z } from "zod"
import type { Contact as Wire } from "#core/contract/contact.ts"
import { userOf } from "#core/jid.ts"
import type { Commits } from "../memory/commits.ts"
import type { SessionStore, SessionWrite } from "../memory/store.ts"
import type { Acquaintance } from "../network.ts"

/** What is known of a contact, as last heard. */
const Contact = z.object({
  /** By phone number; `""` where it is not known. */
  jid: z.string(),
  lid: z.string(),
  fullName: z.string(),
  firstName: z.string(),
  pushName: z.string(),
  verifiedName: z.string(),
  redactedPhone: z.string(),
  isBusiness: z.boolean(),
  about: z.string(),
  businessAddress: z.string(),
  businessEmail: z.string(),
  /** Until the network, asked about the number, says otherwise: an address book does not tell. */
  isRegistered: z.boolean().default(true),
})
export type Contact = z.infer<typeof Contact>

const nobody: Contact = {
  jid: "",
  lid: "",
  fullName: "",
  firstName: "",
  pushName: "",
  verifiedName: "",
  redactedPhone: "",
  isBusiness: false,
  about: "",
  businessAddress: "",
  businessEmail: "",
  isRegistered: true,
}

/** What may be learnt of somebody. */
export type Learnt = Acquaintance &
  Partial<Pick<Contact, "isBusiness" | "about" | "businessAddress" | "businessEmail" | "isRegistered">>

type PhoneOf = (lid: string) => Promise<string | undefined>

interface Parts {
  store: SessionStore
  commits: Pick<Commits, "note">
}

/** A person has up to two rows, and a commit takes 99. */
const together = 40
/** So many rows are opened before everybody else has a turn: some 15 ms of a whole processor. */
const openedAtOnce = 200

/** The people that a login knows, one row each: under the phone number's JID where it is known, else under the LID. */
export class Contacts {
  readonly #parts: Parts
  readonly #prefix: string
  /** By row: what it holds, `undefined` where there is none. */
  readonly #known = new LRUCache<string, { contact: Contact | undefined }>({ max: 1000 })
  #turn: Promise<void> = Promise.resolve()
  /** By address: what is being learnt of whoever has it. */
  readonly #learning = new Map<string, Promise<void>>()
  #state = {}

  constructor(parts: Parts, generation: number) {
    this.#parts = parts
    this.#prefix = `${everyPrefix}${String(generation).padStart(6, "0")}#`
  }

  /** Another object whenever a contact has changed. */
  get state(): object {
    return this.#state
  }

  /**
   * Takes down what is new, some people at a time. Resolves when that is made, before it is durable.
   * @throws SessionEnded
   */
  async learn(people: Learnt[], phoneOf: PhoneOf): Promise<void> {
    const addresses = new Set(people.flatMap(({ jid, lid }) => [jid ?? "", lid ?? ""]))
    const before = [...addresses].flatMap((address) => this.#learning.get(address) ?? [])
    const learnt = this.#learnAll(people, phoneOf, before)
    // Its caller hears of a failure; whoever else waits only waits for the end.
    const ended = learnt.catch(() => {})
    for (const address of addresses) this.#learning.set(address, ended)
    try {
      await learnt
    } finally {
      for (const address of addresses)
        if (this.#learning.get(address) === ended) this.#learning.delete(address)
    }
  }

  /** So many, by JID, after this one. @throws SessionEnded */
  async list(page: { after?: string | undefined; limit?: number | undefined }): Promise<Contact[]> {
    const found: Contact[] = []
    for await (const some of this.pages(page)) found.push(...some)
    return found
  }

  /** The same, some at a time; everybody else has a turn in between. @throws SessionEnded */
  async *pages(page: { after?: string | undefined; limit?: number | undefined }): AsyncGenerator<Contact[]> {
    let { after } = page
    for (let left = page.limit ?? Infinity; left > 0;) {
      const limit = Math.min(left, openedAtOnce)
      const rows = await this.#parts.store.page(this.#prefix, { after, limit })
      yield rows.map(({ secret }) => fromSecret(secret))
      if (rows.length < limit) return
      left -= rows.length
      after = rows.at(-1)?.sk.slice(this.#prefix.length)
      await nextTurn()
    }
  }

  /**
   * The contact of this address, by phone number or by LID, after all that was heard of it before. However much is being
   * learnt of others. @throws SessionEnded
   */
  async get(jid: string): Promise<Contact | undefined> {
    await this.#learning.get(jid)
    return await this.#read(jid)
  }

  /** Resolves when all that was heard is taken down, or will never be. */
  async settled(): Promise<void> {
    await Promise.all(this.#learning.values())
  }

  /** `before`: what is being learnt of one of these, which must not come after it. */
  async #learnAll(people: Learnt[], phoneOf: PhoneOf, before: Promise<void>[]): Promise<void> {
    if (before.length > 0) await Promise.all(before)
    for (let at = 0; at < people.length; at += together) {
      const some = people.slice(at, at + together)
      // One commit after the other; between two of a long list others have theirs.
      const learnt = this.#turn.then(() => this.#learn(some, phoneOf))
      this.#turn = learnt.catch(() => {})
      await learnt
    }
  }

  async #learn(people: Learnt[], phoneOf: PhoneOf): Promise<void> {
    const named = await Promise.all(people.map((person) => withPhone(person, phoneOf)))
    const jids = new Set(named.flatMap(({ jid, lid }) => [jid ?? "", lid ?? ""]))
    jids.delete("")
    const before = await this.#readAll([...jids])

    const after = new Map(before)
    for (const person of named) merge(person, after)
    const changed = [...after].filter(([jid, contact]) => contact !== before.get(jid))
    if (changed.length === 0) return
    // Whoever writes again is learnt again, and how far an address book was read is a change, which comes after these.
    this.#parts.commits.note(changed.map(([jid, contact]) => this.#row(jid, contact)))
    for (const [jid, contact] of changed) this.#known.set(jid, { contact })
    this.#state = {}
  }

  async #read(jid: string): Promise<Contact | undefined> {
    return (await this.#readAll([jid])).get(jid)
  }

  /** In one request for all that are not at hand. */
  async #readAll(jids: string[]): Promise<Map<string, Contact | undefined>> {
    const missing = jids.filter((jid) => !this.#known.has(jid))
    const rows =
      missing.length > 0 ? await this.#parts.store.getAll(missing.map((jid) => this.#prefix + jid)) : []
    const read = new Map(rows.map(({ sk, secret }) => [sk.slice(this.#prefix.length), fromSecret(secret)]))
    return new Map(
      jids.map((jid) => {
        // Meanwhile it may have been learnt.
        const entry = this.#known.get(jid) ?? { contact: read.get(jid) }
        this.#known.set(jid, entry)
        return [jid, entry.contact]
      }),
    )
  }

  #row(jid: string, contact: Contact | undefined): SessionWrite {
    const sk = this.#prefix + jid
    return contact ? this.#parts.store.put(sk, JSON.stringify(contact)) : this.#parts.store.remove(sk)
  }
}

const everyPrefix = "CONTACT#"

/** Removes the contacts of all logins: the last has ended. @throws SessionEnded */
export async function removeContacts(store: SessionStore): Promise<SessionWrite[]> {
  return (await store.names(everyPrefix)).map((sk) => store.remove(sk))
}

/** The name under which a person is shown: as the address book has it, as verified, as called by itself. */
function nameOf(contact: Contact): string {
  return contact.fullName || contact.firstName || contact.verifiedName || contact.pushName
}

/** As the contract has it (§2.5). */
export function wire(contact: Contact): Wire {
  return {
    about: contact.about,
    business_address: contact.businessAddress,
    business_email: contact.businessEmail,
    business_name: contact.isBusiness ? contact.verifiedName || contact.pushName : "",
    first_name: contact.firstName,
    full_name: contact.fullName,
    is_business: contact.isBusiness,
    jid: contact.jid || contact.lid,
    name: nameOf(contact),
    phone: userOf(contact.jid),
    redacted_phone: contact.redactedPhone,
    registered: contact.isRegistered,
    verified_name: contact.verifiedName,
  }
}

/** What is learnt of somebody who is no contact, as if of one. */
export function stranger(learnt: Learnt): Contact {
  return updated(nobody, learnt)
}

async function withPhone(person: Learnt, phoneOf: PhoneOf): Promise<Learnt> {
  if (person.jid || !person.lid) return person
  return { ...person, jid: await phoneOf(person.lid) }
}

/** One person is one contact, however many addresses there were rows for. */
function merge(person: Learnt, contacts: Map<string, Contact | undefined>): void {
  const { jid = "", lid = "" } = person
  const [byPhone, byLid] = [contacts.get(jid), contacts.get(lid)]
  const known =
    byPhone && byLid
      ? updated(byLid, { ...byPhone, about: byPhone.about || byLid.about })
      : (byPhone ?? byLid)
  if (!known && person.ofContactsOnly) return
  const contact = updated(known ?? nobody, person)
  const [key, other] = jid ? [jid, lid] : [lid, ""]
  if (other && byLid) contacts.set(other, undefined)
  const before = contacts.get(key)
  if (JSON.stringify(before) !== JSON.stringify(contact)) contacts.set(key, contact)
}

/** What is not said changes nothing; about texts may be empty. Who is called by a name of its own is on the network. */
function updated(contact: Contact, learnt: Learnt): Contact {
  const said = Object.entries(learnt).filter(
    ([name, value]) => name in nobody && (value || (name === "about" && value === "")),
  )
  const next = { ...contact, ...Object.fromEntries(said) }
  const isNamed = Boolean(learnt.pushName) || Boolean(learnt.verifiedName)
  return {
    ...next,
    isBusiness: next.isBusiness || next.verifiedName !== "",
    isRegistered: learnt.isRegistered ?? (isNamed || contact.isRegistered),
  }
}

function fromSecret(secret: Buffer): Contact {
  return Contact.parse(JSON.parse(secret.toString()))
}
