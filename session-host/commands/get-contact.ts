import * as contract from "#core/contract/contact.ts"
import { ApiError } from "#core/error.ts"
import { isLid, toJid } from "#core/jid.ts"
import { type Contact, stranger, wire } from "../people/contacts.ts"
import type { Live } from "../session/connected-session.ts"
import { el } from "../network/stanza.ts"
import { personOf } from "../people/person.ts"
import { type Command, paramOf } from "./command.ts"

export const getContact: Command = {
  route: contract.getContact,
  run: async (c) => {
    const asked = toJid(paramOf(c, contract.getContact.request.params, "jid"))
    const contact = await c.var.session.use((live) => find(live, asked))
    return c.json(contact, 200)
  },
}

/** A contact, brought up to date by the network. @throws ApiError `not_found` */
async function find(live: Live, asked: string) {
  const { connection, contacts } = live
  const phoneOf = (lid: string) => connection.phoneOf(lid)
  const jid = isLid(asked) ? ((await phoneOf(asked)) ?? asked) : asked
  const learnt = await personOf(connection, jid)
  const said = learnt ?? { [isLid(jid) ? "lid" : "jid"]: jid }
  await contacts.learn([{ ...said, isRegistered: learnt !== undefined, ofContactsOnly: true }], phoneOf)
  const known = (learnt?.jid && (await contacts.get(learnt.jid))) || (await contacts.get(jid))
  if (known) return wire(await withRedactedPhone(known, live))
  if (learnt) return wire(stranger(learnt))
  throw new ApiError("not_found", "there is no such contact: nobody on the network has this address")
}

/** For a person who hides their number, only the cards of common groups show a part of it. */
async function withRedactedPhone(known: Contact, { connection, contacts }: Live): Promise<Contact> {
  if (known.jid || known.redactedPhone) return known
  await connection.ask({
    xmlns: "w:g2",
    type: "get",
    to: "@g.us",
    children: [el("participating", {}, [el("participants")])],
  })
  // The connection reports what it hears about people, so the contact may be up to date now.
  return (await contacts.get(known.lid)) ?? known
}
