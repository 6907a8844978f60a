import * as Jid from "../wire/jid.ts"
import { change, changeAll, type Setting, settings } from "./app-state.ts"
import type { Desk } from "./desk.ts"

interface Contact {
  number: string
  fullName: string
  firstName?: string | undefined
}

/** Puts somebody into the phone's address book, who need not be on the network. */
export async function saveContact(desk: Desk, contact: Contact): Promise<void> {
  await change(desk, collection, settingOf(desk, contact))
}

/** The same for many at once. */
export async function saveContacts(desk: Desk, contacts: Contact[]): Promise<void> {
  const settings = contacts.map((contact) => settingOf(desk, contact))
  await changeAll(desk, collection, settings)
}

/** How its contacts are called there, by their numbers. */
export async function namesOf(desk: Desk): Promise<Map<string, string>> {
  const known = await settings(desk, collection)
  return new Map(
    known.flatMap(({ index, value }) => {
      const number = Jid.parse(index[1])?.user
      const name = value?.contactAction?.fullName
      return number && name ? [[number, name] as const] : []
    }),
  )
}

const collection = "critical_unblock_low"

function settingOf(desk: Desk, { number, fullName, firstName }: Contact): Setting {
  const user = desk.network.directory.user(number)
  const lidJid = user && Jid.format(user.lid, "lid")
  const contactAction = { fullName, firstName, saveOnPrimaryAddressbook: true, ...(lidJid && { lidJid }) }
  const index = ["contact", Jid.format(number, Jid.server)]
  return { index, value: { contactAction }, version: 2, remove: false }
}
