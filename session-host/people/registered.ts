import { userOf, withoutDevice } from "#core/jid.ts"
import type { Connection, Registered, Stanza } from "../network/connection.ts"
import { child, el, textOf } from "../network/stanza.ts"
import { usync } from "./usync.ts"
import { proto } from "@whiskeysockets/baileys"

const about = [el("contact"), el("lid"), el("business", {}, [el("verified_name")])]

/** The owners of those of these phone numbers (digits) that are on the network. @throws NetworkRejected, NoAnswer */
export async function registered(
  connection: Pick<Connection, "ask">,
  phones: string[],
): Promise<Map<string, Registered>> {
  if (phones.length === 0) return new Map()
  const users = phones.map((phone) => el("user", {}, [el("contact", {}, `+${phone}`)]))
  const found = await usync(connection, { about, users })
  return new Map(found.flatMap((user) => entry(user, phones)))
}

/** A number's JID may spell it differently (Brazil, Mexico), so the number is read from the question. */
function entry(user: Stanza, phones: string[]): [string, Registered][] {
  const contact = child(user, "contact")
  if (!user.attrs.jid || contact?.attrs.type !== "in") return []
  const jid = withoutDevice(user.attrs.jid)
  const digits = textOf(contact).replaceAll(/\D/g, "") || userOf(jid)
  const phone = phones.length === 1 ? phones[0] : phones.find((each) => each === digits)
  const lid = withoutDevice(child(user, "lid")?.attrs.val ?? "")
  return phone ? [[phone, { jid, lid, ...businessIn(user) }]] : []
}

/** The answer has something in `business` only for a business. */
export function businessIn(user: Stanza): Pick<Registered, "isBusiness" | "verifiedName"> {
  const business = child(user, "business")
  const certificate = child(business, "verified_name")?.bytes
  return {
    isBusiness: (business?.children.length ?? 0) > 0,
    verifiedName: certificate ? verifiedNameIn(certificate) : "",
  }
}

/** The name in a business's certificate. */
export function verifiedNameIn(certificate: Uint8Array): string {
  const { details } = proto.VerifiedNameCertificate.decode(certificate)
  if (!details) return ""
  return proto.VerifiedNameCertificate.Details.decode(details).verifiedName ?? ""
}
