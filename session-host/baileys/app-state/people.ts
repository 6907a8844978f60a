import { isLidUser, isPnUser, jidNormalizedUser, type Contact } from "@whiskeysockets/baileys"
import type { Acquaintance } from "#session-host/network/connection.ts"
import { firstNameIn } from "../patches/contact-actions.ts"

/** The person in a contact of Baileys'; empty if it is none. */
export function personIn(contact: Partial<Contact>): Acquaintance[] {
  const { id, lid, phoneNumber, name, notify, verifiedName, username, imgUrl } = contact
  const jids = [id, phoneNumber, lid].map((jid) => jidNormalizedUser(jid))
  const jid = jids.find((each) => isPnUser(each))
  const first = firstNameIn(username)
  const person: Acquaintance = {
    jid,
    lid: jids.find((each) => isLidUser(each)),
    // If there is no full name, Baileys takes the next best.
    fullName: name === first || name === username ? undefined : name,
    firstName: first,
    pushName: notify,
    verifiedName,
  }
  const isPerson = person.jid !== undefined || person.lid !== undefined
  // A changed picture does not make somebody a contact.
  return isPerson && imgUrl === undefined ? [person] : []
}

/** Two addresses of one person, who may be no contact. */
export function addressPair({ lid, pn }: { lid: string; pn: string }): Acquaintance {
  return { jid: jidNormalizedUser(pn), lid: jidNormalizedUser(lid), ofContactsOnly: true }
}
