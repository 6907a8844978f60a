import { randomBytes } from "node:crypto"
import { isPhoneJid, userOf } from "#core/jid.ts"
import { verifiedNameIn } from "../baileys/verified-name.ts"
import type { Learnt } from "./contacts.ts"
import type { Connection, Stanza } from "../network.ts"
import { child, childrenOf, el, textOf } from "../node.ts"

type Asked = Pick<Connection, "ask" | "registered">

/** What the network says of a person now; undefined of somebody whom it does not know. @throws NetworkRejected, NoAnswer */
export async function personOf(connection: Asked, jid: string): Promise<Learnt | undefined> {
  const [addresses, card] = await Promise.all([addressesOf(connection, jid), cardOf(connection, jid)])
  if (!addresses || !card) return undefined
  const business = child(card, "business")
  const certificate = child(business, "verified_name")?.bytes
  const verifiedName = addresses.verifiedName || (certificate ? verifiedNameIn(certificate) : "")
  const isBusiness = addresses.isBusiness || (business?.children.length ?? 0) > 0
  return {
    jid: addresses.jid,
    lid: addresses.lid,
    verifiedName,
    isBusiness,
    about: textOf(child(card, "status")),
    ...(isBusiness && (await businessOf(connection, jid))),
  }
}

/** The about text; `""` without, and of who does not show it. @throws NetworkRejected, NoAnswer */
export async function aboutOf(connection: Pick<Connection, "ask">, jid: string): Promise<string> {
  return textOf(child(await cardOf(connection, jid), "status"))
}

/** A number may have a JID that spells it otherwise, and may have none. */
async function addressesOf(connection: Asked, jid: string) {
  if (!isPhoneJid(jid)) return { jid: undefined, lid: jid, isBusiness: false, verifiedName: "" }
  const phone = userOf(jid)
  return (await connection.registered([phone])).get(phone)
}

async function cardOf(connection: Pick<Connection, "ask">, jid: string): Promise<Stanza | undefined> {
  const asked = [el("status"), el("business", {}, [el("verified_name")])]
  const attrs = {
    context: "interactive",
    mode: "query",
    sid: randomBytes(8).toString("hex"),
    last: "true",
    index: "0",
  }
  const answer = await connection.ask({
    xmlns: "usync",
    type: "get",
    children: [el("usync", attrs, [el("query", {}, asked), el("list", {}, [el("user", { jid })])])],
  })
  return childrenOf(child(child(answer, "usync"), "list"), "user")[0]
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
