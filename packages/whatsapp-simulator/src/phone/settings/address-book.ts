import * as Jid from "../../wire/jid.ts"
import type { Handset } from "../handset.ts"
import { changeSetting, changeSettings, type Setting, settings } from "./settings.ts"

interface Contact {
  number: string
  fullName: string
  firstName?: string | undefined
}

/** Puts a person, who need not be on the network, into the phone's address book. */
export async function saveContact(handset: Handset, contact: Contact): Promise<void> {
  await changeSetting(handset, collection, settingOf(handset, contact))
}

/** Puts many people into the phone's address book at once. */
export async function saveContacts(handset: Handset, contacts: Contact[]): Promise<void> {
  const settings = contacts.map((contact) => settingOf(handset, contact))
  await changeSettings(handset, collection, settings)
}

/** The names in the phone's address book, by number. */
export async function namesOf(handset: Handset): Promise<Map<string, string>> {
  const known = await settings(handset, collection)
  return new Map(
    known.flatMap(({ index, value }) => {
      const jid = Jid.parse(index[1])
      const number = handset.network.directory.find(jid)?.pn ?? jid?.user
      const name = (value?.contactAction ?? value?.lidContactAction)?.fullName
      return number && name ? [[number, name] as const] : []
    }),
  )
}

const collection = "critical_unblock_low"

function settingOf(handset: Handset, { number, fullName, firstName }: Contact): Setting {
  const user = handset.network.directory.user(number)
  const lidJid = user && Jid.format(user.lid, "lid")
  const username = handset.network.profiles.usernameOf(number)
  // For a person who is known by a username, the address book has no number.
  if (lidJid && username !== undefined)
    return {
      index: ["lid_contact", lidJid],
      value: { lidContactAction: { fullName, firstName, username } },
      version: 1,
      remove: false,
    }
  const contactAction = { fullName, firstName, saveOnPrimaryAddressbook: true, ...(lidJid && { lidJid }) }
  const index = ["contact", Jid.format(number, Jid.server)]
  return { index, value: { contactAction }, version: 2, remove: false }
}
