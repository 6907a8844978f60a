import {
  type ChatMutation,
  type Contact,
  isLidUser,
  isPnUser,
  jidNormalizedUser,
} from "@whiskeysockets/baileys"
import { usernameIn } from "#core/message/jid.ts"
import type { Acquaintance } from "#session-host/network/happening.ts"

/** The person in a contact of Baileys; empty if the contact is no person. */
export function personIn(contact: Partial<Contact>): Acquaintance[] {
  const { id, lid, phoneNumber, name, notify, verifiedName, username, imgUrl } = contact
  const jids = [id, phoneNumber, lid].map((jid) => jidNormalizedUser(jid))
  const jid = jids.find((each) => isPnUser(each))
  const person: Acquaintance = {
    jid,
    lid: jids.find((each) => isLidUser(each)),
    // If there is no name, Baileys takes the username. Only an entry of the address book clears a name.
    fullName: name === username ? undefined : name || undefined,
    username: usernameIn(username),
    pushName: notify,
    verifiedName,
  }
  const isPerson = person.jid !== undefined || person.lid !== undefined
  // A changed picture does not make a person a contact.
  return isPerson && imgUrl === undefined ? [person] : []
}

/**
 * The person in an entry of the phone's address book; undefined if this is another setting. Baileys reports
 * only one of the names that an entry has. An entry that was removed has no names any more.
 */
export function personInEntry({
  syncAction: { value },
  index,
  isRemoved,
}: ChatMutation & { isRemoved?: boolean }): Acquaintance | undefined {
  const action = value?.contactAction ?? value?.lidContactAction
  if (!action) return undefined
  const { lidJid, pnJid } = { lidJid: null, pnJid: null, ...action }
  const jids = [index[1], pnJid, lidJid].map((jid) => jidNormalizedUser(jid ?? undefined))
  const [jid, lid] = [jids.find((each) => isPnUser(each)), jids.find((each) => isLidUser(each))]
  if (!jid && !lid) return undefined
  if (isRemoved) return { jid, lid, fullName: "", firstName: "", ofContactsOnly: true }
  const { fullName, firstName, username } = action
  return {
    jid,
    lid,
    fullName: fullName ?? "",
    firstName: firstName ?? "",
    username: usernameIn(username ?? undefined),
  }
}

/** Two addresses of one person, who may be no contact. */
export function addressPair({ lid, pn }: { lid: string; pn: string }): Acquaintance {
  return { jid: jidNormalizedUser(pn), lid: jidNormalizedUser(lid), ofContactsOnly: true }
}
