import * as contract from "#core/contract/contact.ts"
import type { Registered } from "../network.ts"
import { bodyOf, type Command } from "./command.ts"

const Body = contract.checkContacts.request.body.content["application/json"].schema

export const checkContacts: Command = {
  route: contract.checkContacts,
  run: async (c) => {
    const { phones } = await bodyOf(c, Body)
    const digits = phones.map((phone) => phone.replace(/^\+/, ""))
    const found = await c.var.session.use(({ connection }) => connection.registered([...new Set(digits)]))
    return c.json(
      digits.map((phone) => resultOf(phone, found.get(phone))),
      200,
    )
  },
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
