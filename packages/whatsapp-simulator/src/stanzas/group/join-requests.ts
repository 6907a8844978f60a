import { now } from "../../clock.ts"
import { inMode, inOtherMode } from "../../network/addressing.ts"
import type { ConnectedDevice } from "../../network/connected-device.ts"
import type { User } from "../../network/directory.ts"
import { type Group, isAdmin, jidOf, mostMembers, roleOf } from "../../network/groups.ts"
import type { Network } from "../../network/network.ts"
import { devicesOf } from "../../network/notify.ts"
import { sendToDevice } from "../../network/send-to-device.ts"
import * as Jid from "../../wire/jid.ts"
import { child, children, el, newStanzaId, type Node } from "../../wire/node.ts"
import { badRequest, notFound, Refusal } from "../refusal.ts"
import { addMembers } from "./change-members.ts"

/** A person with an invitation asks to join a group whose admins approve members: the admins are told. */
export function ask(network: Network, group: Group, pn: string): Node {
  const user = network.directory.user(pn)
  if (user && !group.asking?.some((one) => one.pn === pn)) {
    group.asking = [...(group.asking ?? []), { pn, at: now() }]
    network.groups.save(group)
    const asked = el("requested_user", { jid: inMode(group.mode, user), ...otherName(group, user) })
    notifyAdmins(
      network,
      group,
      user,
      el("created_membership_requests", { request_method: "invite_link" }, [asked]),
    )
  }
  return el("membership_approval_request", { jid: jidOf(group) })
}

function notifyAdmins(network: Network, group: Group, by: User, content: Node) {
  const attrs = { from: jidOf(group), type: "w:gp2", t: now(), participant: inMode(group.mode, by) }
  for (const admin of group.members.filter((member) => isAdmin(group, member.pn)))
    for (const device of devicesOf(network, admin.pn))
      sendToDevice(network, device, el("notification", { ...attrs, id: newStanzaId() }, [content]))
}

/** The people who ask to join, for the group's admins. */
export function list(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const group = forAdmin(network, line, iq)
  const asking = (group.asking ?? []).flatMap(({ pn, at }) => {
    const user = network.directory.user(pn)
    if (!user) return []
    const attrs = { request_time: at, request_method: "invite_link", ...otherName(group, user) }
    return [el("membership_approval_request", { jid: inMode(group.mode, user), ...attrs })]
  })
  return [el("membership_approval_requests", {}, asking)]
}

/** An admin lets some of them in, or sends them away. */
export function decide(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const group = forAdmin(network, line, iq)
  const decision = child(child(iq, "membership_requests_action"))
  if (decision?.tag !== "approve" && decision?.tag !== "reject") throw badRequest()
  const decided = children(decision).map(({ attrs }) => {
    const user = network.directory.find(Jid.parse(attrs.jid))
    const isAsking = group.asking?.some(({ pn }) => pn === user?.pn) === true
    return { jid: attrs.jid, user: isAsking ? user : undefined }
  })
  const admitted: string[] = []
  const answers = decided.map(({ jid, user }) => {
    if (!user) return el("participant", { jid, error: 404 })
    const isFull = decision.tag === "approve" && group.members.length + admitted.length >= mostMembers
    if (isFull) return el("participant", { jid, error: 419 })
    admitted.push(user.pn)
    return el("participant", { jid })
  })
  group.asking = (group.asking ?? []).filter(({ pn }) => !admitted.includes(pn))
  network.groups.save(group)
  if (decision.tag === "approve") addMembers(network, line, group, { pns: admitted })
  else notifyOfRejected(network, line, group, admitted)
  return [el("membership_requests_action", {}, [el(decision.tag, {}, answers)])]
}

function notifyOfRejected(network: Network, line: ConnectedDevice, group: Group, pns: string[]) {
  const by = network.directory.user(line.device.user)
  const people = pns.flatMap((pn) => network.directory.user(pn) ?? [])
  if (!by || people.length === 0) return
  const shown = people.map((user) =>
    el("participant", { jid: inMode(group.mode, user), ...otherName(group, user) }),
  )
  notifyAdmins(network, group, by, el("revoked_membership_requests", {}, shown))
}

function forAdmin(network: Network, line: ConnectedDevice, iq: Node): Group {
  const group = network.groups.find(Jid.parse(iq.attrs.to))
  if (!group) throw notFound()
  if (!roleOf(group, line.device.user)) throw new Refusal(403, "forbidden")
  if (!isAdmin(group, line.device.user)) throw new Refusal(401, "not-authorized")
  return group
}

function otherName(group: Group, user: User): Record<string, string> {
  return { [group.mode === "lid" ? "phone_number" : "lid"]: inOtherMode(group.mode, user) }
}
