import { proto } from "@whiskeysockets/baileys"

/** Marks a first name in a field that nobody else reads. */
const mark = "\0first name "

/**
 * Baileys 7.0.0-rc14 reports one of the two names that a contact has in an address book. The other rides along as its
 * `username`. Once per process.
 */
export function repairContactActions() {
  const { ContactAction } = proto.SyncActionValue
  const decode = ContactAction.decode.bind(ContactAction)
  ContactAction.decode = (...bytes) => {
    const action = decode(...bytes)
    if (action.firstName) action.username = mark + action.firstName
    return action
  }
}

/** The first name that rides along in this field. */
export function firstNameIn(username: string | undefined): string | undefined {
  return username?.startsWith(mark) ? username.slice(mark.length) : undefined
}
