import { createHash } from "node:crypto"
import { proto } from "@whiskeysockets/baileys"
import type { ConnectedDevice } from "../network/connected-device.ts"
import type { User } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import type { Business } from "../network/profiles.ts"
import * as Curve from "../wire/curve.ts"
import * as Jid from "../wire/jid.ts"
import { child, children, el, type Node } from "../wire/node.ts"
import { badRequest, notFound } from "./refusal.ts"

/** The certificate of a business's name, as it comes with its messages; none of a private person. */
export function verifiedNameNodes(network: Network, user: User): Node[] {
  const { business } = network.profiles.get(user.pn)
  if (!business) return []
  const serial = createHash("sha256").update(user.pn).digest().readUInt32BE()
  const details = proto.VerifiedNameCertificate.Details.encode({
    serial,
    issuer: "smb:wa",
    verifiedName: business.name,
  }).finish()
  const signature = Curve.sign(network.authority.root.private, details)
  const certificate = proto.VerifiedNameCertificate.encode({ details, signature }).finish()
  return [el("verified_name", { v: "1", serial, level: "low" }, certificate)]
}

/** The answer to whether a person is a business: empty when not. */
export function businessNode(network: Network, user: User): Node {
  return el("business", {}, verifiedNameNodes(network, user))
}

/** Profiles of businesses; private people are left out. */
export function businessProfile(network: Network, _line: ConnectedDevice, iq: Node): Node[] {
  const asked = children(child(iq, "business_profile"))
  if (asked.length === 0) throw badRequest()
  const profiles = asked.flatMap(({ attrs }) => {
    const user = network.directory.find(Jid.parse(attrs.jid))
    const found = user && network.profiles.get(user.pn).business
    return found ? [el("profile", { jid: attrs.jid, tag: "1" }, fields(found))] : []
  })
  return [el("business_profile", { v: "244" }, profiles)]
}

/** The certificate of one business's name; empty for a private person. */
export function verifiedName(network: Network, _line: ConnectedDevice, iq: Node): Node[] {
  const user = network.directory.find(Jid.parse(child(iq, "verified_name")?.attrs.jid))
  if (!user) throw notFound()
  return verifiedNameNodes(network, user)
}

function fields({ category, ...texts }: Business): Node[] {
  const named = (["address", "description", "website", "email"] as const).flatMap((name) => {
    const text = texts[name]
    return text === undefined ? [] : [el(name, {}, Buffer.from(text))]
  })
  if (category === undefined) return named
  return [...named, el("categories", {}, [el("category", { id: "1" }, Buffer.from(category))])]
}
