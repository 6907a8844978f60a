import * as contract from "#contract/contact.ts"
import { ApiError } from "#core/error.ts"
import { isLid, toJid } from "#core/message/jid.ts"
import { downloadAvatar } from "../media/avatar.ts"
import { askForPerson } from "../network/ask-about-people.ts"
import type { Registered } from "../network/connection.ts"
import type { Learnt } from "../network/happening.ts"
import { el } from "../network/stanza.ts"
import { addressesOf, askForBlockedPeople, nobody, setBlocked } from "../people/blocked.ts"
import { type Contact, contactOfStranger, contactWire } from "../people/contacts.ts"
import type { ConnectedSession } from "../session/connected-session.ts"
import type { Session } from "../session/session.ts"
import { command } from "./command.ts"
import { contactsResponse } from "./contact-list.ts"

export const contacts = {
  listContacts: command(contract.listContacts, ({ session, query }) => contactsResponse(session, query)),

  checkContacts: command(contract.checkContacts, async ({ session, body }) => {
    const digits = body.phones.map((phone) => phone.replace(/^\+/, ""))
    const found = await session.use(async ({ connection, contacts, heardOf }) => {
      const asked = [...new Set(digits)]
      const registered = await connection.registered(asked)
      const said = asked.map((phone) => learntOf(phone, registered.get(phone)))
      await contacts.learn(said, (lids) => connection.phonesOf(lids))
      // The JIDs in the network's answer may spell a number differently.
      heardOf([...registered.keys()].map(toJid))
      return registered
    })
    return digits.map((phone) => resultOf(phone, found.get(phone)))
  }),

  // Stands before `getContact`: where the path of `getContact` has a JID, this path has a word.
  listBlocked: command(contract.listBlocked, ({ session }) =>
    session.use(({ connection }) => askForBlockedPeople(connection)),
  ),

  getContact: command(contract.getContact, ({ session, params }) =>
    session.use(async (connected) => find(connected, await connected.named(toJid(params.jid)))),
  ),

  saveContact: command(contract.saveContact, ({ session, params, body }) =>
    session.use(async (connected) => {
      const { full_name: fullName, first_name: firstName = fullName.trim().split(/\s+/u)[0] } = body
      const person = await saveInAddressBook(connected, toJid(params.jid), { fullName, firstName })
      return contactWire(person)
    }),
  ),

  forgetContact: command(contract.forgetContact, async ({ session, params }) => {
    await session.use((connected) => saveInAddressBook(connected, toJid(params.jid), undefined))
    return { ok: true }
  }),

  contactAvatar: command(contract.contactAvatar, async ({ session, params }) =>
    jpegResponse(
      await session.use(async ({ connection, named }) =>
        downloadAvatar(connection, await named(toJid(params.jid))),
      ),
    ),
  ),

  blockContact: command(contract.blockContact, ({ session, params }) => block(session, params.jid, true)),

  unblockContact: command(contract.unblockContact, ({ session, params }) =>
    block(session, params.jid, false),
  ),
}

/** Blocks the contact of a call, or unblocks them. */
async function block(session: Session, jid: string, isBlocked: boolean) {
  await session.use(async ({ connection, named }) =>
    setBlocked(connection, await named(toJid(jid)), isBlocked),
  )
  return { ok: true as const }
}

export function jpegResponse(picture: Uint8Array<ArrayBuffer>): Response {
  return new Response(picture, { headers: { "content-type": "image/jpeg" } })
}

/** The network's answer as news about a person. It changes existing contacts only. */
function learntOf(phone: string, person: Registered | undefined): Learnt {
  const isRegistered = person !== undefined
  return { jid: person?.jid ?? toJid(phone), isRegistered, ofContactsOnly: true }
}

function resultOf(phone: string, person: Registered | undefined) {
  const isRegistered = person !== undefined
  return {
    is_business: person?.isBusiness ?? false,
    is_on_whatsapp: isRegistered,
    jid: person?.jid ?? "",
    phone,
    registered: isRegistered,
    verified_name: person?.verifiedName ?? "",
  }
}

/** A contact, brought up to date by the network. @throws ApiError `not_found` */
async function find(connected: ConnectedSession, asked: string) {
  const { connection, contacts } = connected
  const phonesOf = (lids: string[]) => connection.phonesOf(lids)
  const jid = isLid(asked) ? ((await phonesOf([asked])).get(asked) ?? asked) : asked
  const learnt = await askForPerson(connection, jid)
  const said = learnt ?? { [isLid(jid) ? "lid" : "jid"]: jid }
  await contacts.learn([{ ...said, isRegistered: learnt !== undefined, ofContactsOnly: true }], phonesOf)
  const known = (learnt?.jid && (await contacts.get(learnt.jid))) || (await contacts.get(jid))
  if (known) return contactWire(await withRedactedPhone(known, connected))
  if (learnt) return contactWire(contactOfStranger(learnt))
  throw new ApiError("not_found", "there is no such contact: nobody on the network has this address")
}

/**
 * The contact with a part of the phone number. For a person who hides their number, only the cards of common
 * groups show that part.
 */
async function withRedactedPhone(
  known: Contact,
  { connection, contacts }: ConnectedSession,
): Promise<Contact> {
  if (known.jid || known.redactedPhone) return known
  await connection.ask({
    xmlns: "w:g2",
    type: "get",
    to: "@g.us",
    children: [el("participating", {}, [el("participants")])],
  })
  // The connection records what it hears about people, so the contact may be up to date now.
  return (await contacts.get(known.lid)) ?? known
}

/**
 * Changes a person's entry in the account's address book, or removes it. The settings, with their versions,
 * are those of WhatsApp Web (`WAWebContactSync`, `WAWebLidContactSync`).
 * @throws ApiError `not_found`. NetworkRejected, NoAnswer
 */
async function saveInAddressBook(
  connected: ConnectedSession,
  asked: string,
  names: { fullName: string; firstName: string | undefined } | undefined,
): Promise<Contact> {
  const { connection, contacts } = connected
  const { phone: jid, lid } = await addressesOf(connection, await connected.named(asked))
  if (!jid && !(await askForPerson(connection, lid!))) throw nobody()
  const known = (jid && (await contacts.get(jid))) || (lid && (await contacts.get(lid))) || undefined
  const username = known?.username || undefined
  // For a person whose number is not known, the address book has none.
  const entry = jid
    ? {
        index: ["contact", jid],
        value: {
          contactAction: { ...names, ...(lid && { lidJid: lid }), saveOnPrimaryAddressbook: true },
        },
        version: 2,
      }
    : { index: ["lid_contact", lid!], value: { lidContactAction: { ...names, username } }, version: 1 }
  const isRemoved = names === undefined && { isRemoved: true as const }
  await connection.changeSetting({ collection: "critical_unblock_low", ...entry, ...isRemoved })
  const said = { jid, lid, fullName: "", firstName: "", ...names }
  // The setting that was read back may not have been learnt yet.
  await contacts.learn([{ ...said, ...(!names && { ofContactsOnly: true as const }) }], (lids) =>
    connection.phonesOf(lids),
  )
  return (await contacts.get(jid ?? lid ?? "")) ?? contactOfStranger(said)
}
