import { isPhoneJid, userOf } from "#core/jid.ts"
import type { Learnt } from "./contacts.ts"
import type { Connection, Stanza } from "../network/connection.ts"
import { child, el, textOf } from "../network/stanza.ts"
import { businessIn } from "./registered.ts"
import { usync } from "./usync.ts"

type Asked = Pick<Connection, "ask" | "registered">

/**
 * The network's present information about a person; undefined if it does not know them. @throws NetworkRejected,
 * NoAnswer
 */
export async function personOf(connection: Asked, jid: string): Promise<Learnt | undefined> {
  const [addresses, card] = await Promise.all([addressesOf(connection, jid), cardOf(connection, jid)])
  if (!addresses || !card) return undefined
  const business = businessIn(card)
  const verifiedName = addresses.verifiedName || business.verifiedName
  const isBusiness = addresses.isBusiness || business.isBusiness
  return {
    jid: addresses.jid,
    lid: addresses.lid,
    verifiedName,
    isBusiness,
    about: textOf(child(card, "status")),
    ...(isBusiness && (await businessOf(connection, jid))),
  }
}

/** The about text; `""` if there is none, or if the person hides it. @throws NetworkRejected, NoAnswer */
export async function aboutOf(connection: Pick<Connection, "ask">, jid: string): Promise<string> {
  return textOf(child(await cardOf(connection, jid), "status"))
}

/** A number's JID may spell it differently, and a number may have none. */
async function addressesOf(connection: Asked, jid: string) {
  if (!isPhoneJid(jid)) return { jid: undefined, lid: jid, isBusiness: false, verifiedName: "" }
  const phone = userOf(jid)
  return (await connection.registered([phone])).get(phone)
}

async function cardOf(connection: Pick<Connection, "ask">, jid: string): Promise<Stanza | undefined> {
  const about = [el("status"), el("business", {}, [el("verified_name")])]
  const [card] = await usync(connection, { about, users: [el("user", { jid })] })
  return card
}

async function businessOf(connection: Pick<Connection, "ask">, jid: string): Promise<Learnt> {
  const answer = await connection.ask({
    xmlns: "w:biz",
    type: "get",
    children: [el("business_profile", { v: "244" }, [el("profile", { jid })])],
  })
  const profile = child(child(answer, "business_profile"), "profile")
  return {
    businessAddress: textOf(child(profile, "address")),
    businessEmail: textOf(child(profile, "email")),
  }
}
