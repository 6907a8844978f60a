import * as Jid from "#simulator/wire/jid.ts"
import { change, changeAll, type Setting, settings } from "./settings.ts"
import type { Handset } from "../handset.ts"

interface Contact {
  number: string
  fullName: string
  firstName?: string | undefined
}

/** Puts somebody into the phone's address book, who need not be on the network. */
export async function saveContact(handset: Handset, contact: Contact): Promise<void> {
  await change(handset, collection, settingOf(handset, contact))
}

/** The same for many at once. */
export async function saveContacts(handset: Handset, contacts: Contact[]): Promise<void> {
  const settings = contacts.map((contact) => settingOf(handset, contact))
  await changeAll(handset, collection, settings)
}

/** How its contacts are called there, by their numbers. */
export async function namesOf(handset: Handset): Promise<Map<string, string>> {
  const known = await settings(handset, collection)
  return new Map(
    known.flatMap(({ index, value }) => {
      const number = Jid.parse(index[1])?.user
      const name = value?.contactAction?.fullName
      return number && name ? [[number, name] as const] : []
    }),
  )
}

const collection = "critical_unblock_low"

function settingOf(handset: Handset, { number, fullName, firstName }: Contact): Setting {
  const user = handset.network.directory.user(number)
  const lidJid = user && Jid.format(user.lid, "lid")
  const contactAction = { fullName, firstName, saveOnPrimaryAddressbook: true, ...(lidJid && { lidJid }) }
  const index = ["contact", Jid.format(number, Jid.server)]
  return { index, value: { contactAction }, version: 2, remove: false }
}
