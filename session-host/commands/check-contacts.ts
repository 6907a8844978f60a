import * as contract from "#core/contract/contact.ts"
import { toJid } from "#core/jid.ts"
import type { Registered } from "../network/connection.ts"
import type { Learnt } from "../people/contacts.ts"
import { bodyOf, type Command } from "./command.ts"

const Body = contract.checkContacts.request.body.content["application/json"].schema

export const checkContacts: Command = {
  route: contract.checkContacts,
  run: async (c) => {
    const { phones } = await bodyOf(c, Body)
    const digits = phones.map((phone) => phone.replace(/^\+/, ""))
    const found = await c.var.session.use(async ({ connection, contacts }) => {
      const asked = [...new Set(digits)]
      const registered = await connection.registered(asked)
      const said = asked.map((phone) => learntOf(phone, registered.get(phone)))
      await contacts.learn(said, (lid) => connection.phoneOf(lid))
      return registered
    })
    return c.json(
      digits.map((phone) => resultOf(phone, found.get(phone))),
      200,
    )
  },
}

/** Learnt only about people who are contacts already. */
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
