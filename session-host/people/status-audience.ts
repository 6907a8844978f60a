import { ApiError } from "#core/error.ts"
import type { Connection } from "../network/connection.ts"
import type { Own } from "../network/happening.ts"
import { type Stanza, child, childrenOf, el } from "../network/stanza.ts"
import type { Contact, Contacts } from "./contacts.ts"

interface Asking {
  connection: Pick<Connection, "ask">
  contacts: Pick<Contacts, "pages">
  own: Pick<Own, "jid">
}

/** The most people whom a status is encrypted for. */
const mostViewers = 5000

/**
 * The lists of people who may see the account's statuses, as its owner has chosen on the phone.
 * @throws NetworkRejected, NoAnswer
 */
export async function askForStatusLists(connection: Pick<Connection, "ask">): Promise<Stanza[]> {
  const answer = await connection.ask({ xmlns: "status", type: "get", children: [el("privacy")] })
  return childrenOf(child(answer, "privacy"), "list")
}

export function peopleOn(list: Stanza | undefined): string[] {
  return childrenOf(list, "user").flatMap(({ attrs }) => attrs.jid ?? [])
}

/**
 * The people who may see a status that is posted now: all of the address book, all but some, or only some.
 * @throws ApiError `recipient_not_found`, `payload_too_large`. NetworkRejected, NoAnswer
 */
export async function findStatusAudience(connected: Asking): Promise<string[]> {
  const list = (await askForStatusLists(connected.connection)).find(({ attrs }) => attrs.default === "true")
  const named = peopleOn(list)
  const type = list?.attrs.type ?? "contacts"
  const isOfContacts = type === "contacts" || type === "blacklist"
  const viewers = isOfContacts ? await contactsBut(new Set(named), connected) : named
  if (viewers.length === 0) throw new ApiError("recipient_not_found", nobody)
  if (viewers.length > mostViewers) throw new ApiError("payload_too_large", tooMany(viewers.length))
  return viewers
}

async function contactsBut(hidden: Set<string>, { contacts, own }: Asking): Promise<string[]> {
  const found: string[] = []
  const isShown = ({ jid, lid, isRegistered }: Contact) =>
    isRegistered && jid !== own.jid && ![jid, lid].some((address) => hidden.has(address))
  for await (const page of contacts.pages({}))
    for (const contact of page)
      if ((contact.fullName || contact.firstName) && isShown(contact)) found.push(contact.jid || contact.lid)
  return found
}

const nobody =
  "nobody may see this account's statuses: its address book is empty, or its owner has chosen so on the phone"

function tooMany(count: number): string {
  return `${count} people may see this account's statuses, and a status goes to ${mostViewers} at most: its owner can choose fewer on the phone`
}
