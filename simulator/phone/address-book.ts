import * as Jid from "../wire/jid.ts"
import { change } from "./app-state.ts"
import type { Desk } from "./desk.ts"

interface Contact {
  number: string
  fullName: string
  firstName?: string | undefined
}

/** Puts somebody into the phone's address book, who need not be on the network. */
export async function saveContact(desk: Desk, { number, fullName, firstName }: Contact): Promise<void> {
  const user = desk.network.directory.user(number)
  const lidJid = user && Jid.format(user.lid, "lid")
  const contactAction = { fullName, firstName, saveOnPrimaryAddressbook: true, ...(lidJid && { lidJid }) }
  const index = ["contact", Jid.format(number, Jid.server)]
  await change(desk, "critical_unblock_low", { index, value: { contactAction }, version: 2, remove: false })
}
