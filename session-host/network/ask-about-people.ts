import { randomBytes } from "node:crypto"
import { isLid, isPhoneJid, userOf, usernameIn, withoutDevice } from "#core/message/jid.ts"
import type { Connection, Registered } from "./connection.ts"
import { NoAnswer } from "./errors.ts"
import type { Learnt } from "./happening.ts"
import { proto } from "./proto.ts"
import { type Stanza, child, childrenOf, el, textOf } from "./stanza.ts"

/**
 * Asks the network about people, in its own protocol for that.
 * @returns an answer for each person it knows, in no order.
 * @throws NetworkRejected, NoAnswer
 */
export async function askUsync(
  connection: Pick<Connection, "ask">,
  asked: { about: Stanza[]; users: Stanza[]; context?: "interactive" | "message" | "background" },
): Promise<Stanza[]> {
  const attrs = {
    context: asked.context ?? "interactive",
    mode: "query",
    sid: randomBytes(8).toString("hex"),
    last: "true",
    index: "0",
  }
  const question = el("usync", attrs, [el("query", {}, asked.about), el("list", {}, asked.users)])
  const answer = await connection.ask({ xmlns: "usync", type: "get", children: [question] })
  const list = child(child(answer, "usync"), "list")
  // A person who is not on the list does not exist; an answer without a list says nothing about any person.
  if (!list) throw new NoAnswer("the network's answer says nothing of people")
  const jids = new Set(asked.users.map(({ attrs }) => attrs.jid))
  return childrenOf(list, "user").map((user) => asAskedAbout(user, jids))
}

/**
 * The person in an answer, under the address that was asked about: the network may name a person by private
 * id who was asked about by number, with the number beside it (`pn_jid`; whatsapp-rust, `usync.rs`; zapo,
 * `SignalDeviceSyncApi.ts`).
 */
function asAskedAbout(user: Stanza, asked: Set<string | undefined>): Stanza {
  const { jid = "", pn_jid = "" } = user.attrs
  if (!isLid(jid) || !isPhoneJid(pn_jid) || asked.has(withoutDevice(jid))) return user
  const others = user.children.filter(({ tag }) => tag !== "lid")
  return { ...user, attrs: { ...user.attrs, jid: pn_jid }, children: [...others, el("lid", { val: jid })] }
}

/**
 * The private ids of the owners of these numbers, as far as the network knows them.
 * @throws NetworkRejected, NoAnswer
 */
export async function askForLids(
  connection: Pick<Connection, "ask">,
  numbers: string[],
): Promise<{ pn: string; lid: string }[]> {
  const users = numbers.filter(isPhoneJid).map((jid) => el("user", { jid }))
  if (users.length === 0) return []
  const found = await askUsync(connection, { about: [el("lid")], users, context: "background" })
  return found.flatMap(pairIn)
}

/** The two addresses of a person in an answer. */
export function pairIn(user: Stanza): { pn: string; lid: string }[] {
  const { jid = "", pn_jid = jid } = user.attrs
  const lid = isLid(jid) ? jid : (child(user, "lid")?.attrs.val ?? "")
  return isPhoneJid(pn_jid) && isLid(lid) ? [{ pn: withoutDevice(pn_jid), lid: withoutDevice(lid) }] : []
}

/** What the network is asked about a phone number. */
const aboutNumbers = [el("contact"), el("lid"), el("business", {}, [el("verified_name")])]

/**
 * The owners of these phone numbers (digits), by number; none for a number that is not on the network.
 * @throws NetworkRejected, NoAnswer
 */
export async function findRegistered(
  connection: Pick<Connection, "ask">,
  phones: string[],
): Promise<Map<string, Registered>> {
  if (phones.length === 0) return new Map()
  const users = phones.map((phone) => el("user", {}, [el("contact", {}, `+${phone}`)]))
  const found = await askUsync(connection, { about: aboutNumbers, users })
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
function businessIn(user: Stanza): Pick<Registered, "isBusiness" | "verifiedName"> {
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

/**
 * The private id of the person with a username, given as `@ada`, or as `@ada:1234` with the digits that its
 * owner may ask for. `isLocked`: the username exists, and these digits are missing or wrong. As WhatsApp Web
 * asks (zapo 471ca18).
 * @throws NetworkRejected, NoAnswer
 */
export async function findByUsername(
  connection: Pick<Connection, "ask">,
  handle: string,
): Promise<{ jid: string | undefined; isLocked: boolean }> {
  const [username = "", pin] = handle.slice(1).split(":")
  const [owner] = await askUsync(connection, {
    about: [el("contact", { addressing_mode: "lid" })],
    users: [el("user", {}, [el("contact", { username, ...(pin && { pin }) })])],
  })
  const contact = child(owner, "contact")
  const isKnown = contact !== undefined && contact.attrs.type !== "out" && !child(contact, "error")
  const jid = withoutDevice(owner?.attrs.jid ?? "")
  if (!isKnown) return { jid: undefined, isLocked: false }
  return { jid: isLid(jid) || isPhoneJid(jid) ? jid : undefined, isLocked: jid === "" }
}

type Asked = Pick<Connection, "ask" | "registered" | "tokenOf">

/**
 * The network's present information about a person; undefined if the network does not know them.
 * @throws NetworkRejected, NoAnswer
 */
export async function askForPerson(connection: Asked, jid: string): Promise<Learnt | undefined> {
  const addresses = await addressesOf(connection, jid)
  // Only under the spelling that the network knows can the rest be asked for.
  const card = addresses && (await cardOf(connection, addresses.jid ?? jid))
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
    username: usernameIn(textOf(child(card, "username"))) ?? "",
    ...(isBusiness && (await businessOf(connection, jid))),
  }
}

/** The about text; `""` if there is none, or if the person hides it. @throws NetworkRejected, NoAnswer */
export async function askForAbout(
  connection: Pick<Connection, "ask" | "tokenOf">,
  jid: string,
): Promise<string> {
  return textOf(child(await cardOf(connection, jid), "status"))
}

/**
 * The addresses of a person: the JID of a number may spell the number differently, and a number may have no
 * JID.
 */
async function addressesOf(connection: Asked, jid: string) {
  if (!isPhoneJid(jid)) return { jid: undefined, lid: jid, isBusiness: false, verifiedName: "" }
  const phone = userOf(jid)
  return (await connection.registered([phone])).get(phone)
}

/**
 * The part of a person's information that is asked for with their token: a person who shows the About text to
 * contacts alone shows it to those who have the token (whatsmeow 00ce57f2).
 */
async function cardOf(
  connection: Pick<Connection, "ask" | "tokenOf">,
  jid: string,
): Promise<Stanza | undefined> {
  const token = await connection.tokenOf(jid)
  const about = [el("status"), el("business", {}, [el("verified_name")]), el("username")]
  const user = el("user", { jid }, token && [el("tctoken", {}, token)])
  const [card] = await askUsync(connection, { about, users: [user] })
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
