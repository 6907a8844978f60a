import { setImmediate as nextTurn } from "node:timers/promises"
import { z } from "zod"
import type { Contact as Wire } from "#contract/contact.ts"
import { userOf } from "#core/message/jid.ts"
import { newTurns } from "#core/platform/locks.ts"
import type { Logger } from "#core/platform/log.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import type { Commits } from "../memory/commits.ts"
import { type SessionStore, type SessionWrite, RowTooLarge } from "../memory/rows.ts"
import type { Learnt } from "../network/happening.ts"
import type { Recipients } from "./recipients.ts"

/** A contact, as last heard of. */
const Contact = z.object({
  /** The JID with the phone number; `""` if unknown. */
  jid: z.string(),
  lid: z.string(),
  fullName: z.string(),
  firstName: z.string(),
  pushName: z.string(),
  username: z.string(),
  verifiedName: z.string(),
  redactedPhone: z.string(),
  isBusiness: z.boolean(),
  about: z.string(),
  businessAddress: z.string(),
  businessEmail: z.string(),
  /** True until the network, when asked about the number, says otherwise: an address book does not say it. */
  isRegistered: z.boolean().default(true),
})
export type Contact = z.infer<typeof Contact>

const nobody: Contact = {
  jid: "",
  lid: "",
  fullName: "",
  firstName: "",
  pushName: "",
  username: "",
  verifiedName: "",
  redactedPhone: "",
  isBusiness: false,
  about: "",
  businessAddress: "",
  businessEmail: "",
  isRegistered: true,
}

/** The phone JIDs of these LIDs, by LID, as far as they are known. */
type PhonesOf = (lids: string[]) => Promise<Map<string, string>>

interface ContactsParts {
  store: SessionStore
  commits: Pick<Commits, "note">
  recipients: Pick<Recipients, "heardOf">
  log: Logger
}

/** A person has up to two rows, and a commit takes 99. */
const together = 40
/** How many rows are opened before other work gets a turn: some 15 ms of a whole processor. */
const openedAtOnce = 200

/**
 * The people whom a login knows, one row each: under the JID of their phone number if it is known, else under
 * the LID.
 */
export class Contacts {
  readonly #parts: ContactsParts
  readonly #prefix: string
  /** The content of each row; `undefined` where there is none. */
  readonly #known = boundedCache<{ contact: Contact | undefined }>(1000)
  readonly #inTurn = newTurns()
  /** News that is being recorded, by the address of the person. */
  readonly #learning = new Map<string, Promise<void>>()
  #state = {}

  constructor(parts: ContactsParts, generation: number) {
    this.#parts = parts
    this.#prefix = `${everyPrefix}${String(generation).padStart(6, "0")}#`
  }

  /** A new object whenever a contact has changed. */
  get state(): object {
    return this.#state
  }

  /**
   * Records new information, some people at a time. Resolves when the information is recorded, before it is
   * durable.
   * @throws SessionEnded
   */
  async learn(people: Learnt[], phonesOf: PhonesOf): Promise<void> {
    const addresses = new Set(people.flatMap(addressesOf))
    const before = [...addresses].flatMap((address) => this.#learning.get(address) ?? [])
    const learnt = this.#learnAll(people, phonesOf, before)
    // The caller sees the error; later calls only wait for the end.
    const ended = learnt.catch(() => {})
    for (const address of addresses) this.#learning.set(address, ended)
    try {
      await learnt
    } finally {
      for (const address of addresses)
        if (this.#learning.get(address) === ended) this.#learning.delete(address)
    }
  }

  /** At most `limit` contacts, by JID, after this one. @throws SessionEnded */
  async list(page: { after?: string | undefined; limit?: number | undefined }): Promise<Contact[]> {
    const found: Contact[] = []
    for await (const some of this.pages(page)) found.push(...some)
    return found
  }

  /**
   * The contacts that `list` gives, in pages; other work gets a turn between two pages.
   * @throws SessionEnded
   */
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
   * The contact of this address (phone number or LID), with everything heard about this person so far. Does
   * not wait for news about others that is being recorded.
   * @throws SessionEnded
   */
  async get(jid: string): Promise<Contact | undefined> {
    await this.#learning.get(jid)
    return await this.#read(jid)
  }

  /** Resolves when everything heard so far is recorded, or never will be. */
  async settled(): Promise<void> {
    await Promise.all(this.#learning.values())
  }

  /** @param before earlier news about these people that is being recorded, and must come first */
  async #learnAll(people: Learnt[], phonesOf: PhonesOf, before: Promise<void>[]): Promise<void> {
    if (before.length > 0) await Promise.all(before)
    for (let at = 0; at < people.length; at += together) {
      const some = people.slice(at, at + together)
      // One commit after the other, so that other changes can be committed between two of a long list.
      await this.#inTurn(() => this.#learn(some, phonesOf))
    }
  }

  async #learn(people: Learnt[], phonesOf: PhonesOf): Promise<void> {
    const named = await withPhones(people, phonesOf)
    this.#parts.recipients.heardOf(
      named.filter(({ isRegistered }) => isRegistered !== false).flatMap(addressesOf),
    )
    const jids = new Set(named.flatMap(addressesOf))
    jids.delete("")
    const before = await this.#readAll([...jids])

    const after = new Map(before)
    for (const person of named) merge(person, after)
    const changed = [...after].flatMap(([jid, contact]) => {
      if (contact === before.get(jid)) return []
      const row = this.#row(jid, contact)
      return this.#fits(row) ? [{ jid, contact, row }] : []
    })
    if (changed.length === 0) return
    // A note is enough: a person who writes again is recorded again, and the progress through an address book
    // is a change, which is committed after these notes.
    this.#parts.commits.note(changed.map(({ row }) => row))
    for (const { jid, contact } of changed) this.#known.set(jid, { contact })
    this.#state = {}
  }

  /**
   * Whether a row can hold this person. If not, the contact stays as it was, and the others are recorded all
   * the same.
   */
  #fits(row: SessionWrite): boolean {
    try {
      this.#parts.store.mustFit([row])
      return true
    } catch (error) {
      if (!(error instanceof RowTooLarge)) throw error
      this.#parts.log.warn({ error }, "somebody is too large for an address book and was left out")
      return false
    }
  }

  async #read(jid: string): Promise<Contact | undefined> {
    return (await this.#readAll([jid])).get(jid)
  }

  /** Reads all that are not cached in one request. */
  async #readAll(jids: string[]): Promise<Map<string, Contact | undefined>> {
    const missing = jids.filter((jid) => !this.#known.has(jid))
    const rows =
      missing.length > 0 ? await this.#parts.store.getAll(missing.map((jid) => this.#prefix + jid)) : []
    const read = new Map(rows.map(({ sk, secret }) => [sk.slice(this.#prefix.length), fromSecret(secret)]))
    return new Map(
      jids.map((jid) => {
        // The contact may have been recorded meanwhile.
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

/** Removals of the contacts of all logins, since the last login has ended. @throws SessionEnded */
export async function removalsOfContacts(store: SessionStore): Promise<SessionWrite[]> {
  return (await store.names(everyPrefix)).map((sk) => store.remove(sk))
}

/** The name to show: from the address book, else the verified one, else the person's own. */
function nameOf(contact: Contact): string {
  return contact.fullName || contact.firstName || contact.verifiedName || contact.pushName
}

/** A contact in the contract's form (Contract, "Contacts"). */
export function contactWire(contact: Contact): Wire {
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
    username: contact.username,
    verified_name: contact.verifiedName,
  }
}

/** A person who is not a contact, in the form of one. */
export function contactOfStranger(learnt: Learnt): Contact {
  return updated(nobody, learnt)
}

async function withPhones(people: Learnt[], phonesOf: PhonesOf): Promise<Learnt[]> {
  const unknown = people.flatMap(({ jid, lid }) => (!jid && lid ? [lid] : []))
  if (unknown.length === 0) return people
  const phones = await phonesOf(unknown)
  return people.map((person) => (person.jid ? person : { ...person, jid: phones.get(person.lid ?? "") }))
}

function addressesOf({ jid = "", lid = "", formerJid }: Learnt): string[] {
  return formerJid ? [jid, lid, formerJid] : [jid, lid]
}

/** One person is one contact, however many addresses had rows. */
function merge(person: Learnt, contacts: Map<string, Contact | undefined>): void {
  const { jid = "", lid = "", formerJid } = person
  const before = formerJid ? contacts.get(formerJid) : undefined
  const [byPhone = before, byLid] = [contacts.get(jid), contacts.get(lid)]
  const known =
    byPhone && byLid
      ? updated(byLid, { ...byPhone, about: byPhone.about || byLid.about })
      : (byPhone ?? byLid)
  if (!known && person.ofContactsOnly) return
  const contact = updated(known ?? nobody, person)
  const [key, other] = jid ? [jid, lid] : [lid, ""]
  if (other && byLid) contacts.set(other, undefined)
  if (formerJid && before) contacts.set(formerJid, undefined)
  if (JSON.stringify(contacts.get(key)) !== JSON.stringify(contact)) contacts.set(key, contact)
}

/** The business fields of a contact that is no business. */
const privately = { isBusiness: false, verifiedName: "", businessAddress: "", businessEmail: "" }

/** The fields that may be cleared. */
const clearable = new Set(["about", "username", "fullName", "firstName"])

/**
 * Unknown values change nothing; an about text, a username and the names in the address book may be cleared.
 * A person with a name of their own is on the network.
 */
function updated(contact: Contact, learnt: Learnt): Contact {
  const said = Object.entries(learnt).filter(
    ([name, value]) => name in nobody && (value || (clearable.has(name) && value === "")),
  )
  const next = { ...contact, ...(learnt.isNoBusiness && privately), ...Object.fromEntries(said) }
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
