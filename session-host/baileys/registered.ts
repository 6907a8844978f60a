import {
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidNormalizedUser,
  S_WHATSAPP_NET,
  type BinaryNode,
  type WASocket,
} from "@whiskeysockets/baileys"
import type { Registered } from "../network.ts"
import { verifiedNameIn } from "./verified-name.ts"

/** Asks the network which of those phone numbers (digits) it knows. Baileys' own query drops the number asked for. */
export async function registered(
  sock: Pick<WASocket, "query" | "generateMessageTag" | "signalRepository">,
  phones: string[],
): Promise<Map<string, Registered>> {
  if (phones.length === 0) return new Map()
  const answer: BinaryNode | undefined = await sock.query(question(phones, sock.generateMessageTag()))
  const list = getBinaryNodeChild(getBinaryNodeChild(answer, "usync"), "list")
  const found = getBinaryNodeChildren(list, "user").flatMap((user) => entry(user, phones))
  const { lidMapping } = sock.signalRepository
  await lidMapping.storeLIDPNMappings(found.map(([, { jid, lid }]) => ({ pn: jid, lid })))
  return new Map(found)
}

function question(phones: string[], sid: string): BinaryNode {
  const users = phones.map((phone) => ({
    tag: "user",
    attrs: {},
    content: [{ tag: "contact", attrs: {}, content: `+${phone}` }],
  }))
  const query = [
    { tag: "contact", attrs: {} },
    { tag: "lid", attrs: {} },
    { tag: "business", attrs: {}, content: [{ tag: "verified_name", attrs: {} }] },
  ]
  const usync = { context: "interactive", mode: "query", sid, last: "true", index: "0" }
  return {
    tag: "iq",
    attrs: { to: S_WHATSAPP_NET, type: "get", xmlns: "usync" },
    content: [
      {
        tag: "usync",
        attrs: usync,
        content: [
          { tag: "query", attrs: {}, content: query },
          { tag: "list", attrs: {}, content: users },
        ],
      },
    ],
  }
}

/** A number may have a JID that spells it otherwise (Brazil, Mexico), so the number is read from what was asked. */
function entry(user: BinaryNode, phones: string[]): [string, Registered][] {
  const contact = getBinaryNodeChild(user, "contact")
  const lid = getBinaryNodeChild(user, "lid")?.attrs.val
  if (!user.attrs.jid || !lid || contact?.attrs.type !== "in") return []
  const jid = jidNormalizedUser(user.attrs.jid)
  const asked =
    contact.content instanceof Uint8Array ? Buffer.from(contact.content).toString() : contact.content
  const digits = typeof asked === "string" ? asked.replaceAll(/\D/g, "") : jid.split("@")[0]
  const phone = phones.length === 1 ? phones[0] : phones.find((each) => each === digits)
  return phone ? [[phone, { jid, lid: jidNormalizedUser(lid), ...businessIn(user) }]] : []
}

/** Only of a business the answer has something in `business`. */
function businessIn(user: BinaryNode) {
  const business = getBinaryNodeChild(user, "business")
  const certificate = getBinaryNodeChild(business, "verified_name")?.content
  return {
    isBusiness: Array.isArray(business?.content) && business.content.length > 0,
    verifiedName: certificate instanceof Uint8Array ? verifiedNameIn(certificate) : "",
  }
}
