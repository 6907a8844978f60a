import { inMode, otherMode } from "#simulator/network/addressing.ts"
import { sendToDevice } from "#simulator/network/send-to-device.ts"
import type { User } from "#simulator/network/directory.ts"
import { type Group, isAdmin, jidOf } from "#simulator/network/groups.ts"
import type { ConnectedDevice } from "#simulator/network/connected-device.ts"
import { now } from "#simulator/clock.ts"
import type { Network } from "#simulator/network/network.ts"
import { devicesOf } from "#simulator/network/notify.ts"
import * as Jid from "#simulator/wire/jid.ts"
import { child, children, el, newStanzaId, type Node } from "#simulator/wire/node.ts"
import { addMembers } from "./add-and-remove-members.ts"
import { badRequest, notFound, Refusal } from "../refusal.ts"

/** Somebody with an invitation asks to join a group whose admins choose: the admins are told. */
export function ask(network: Network, group: Group, pn: string): Node {
  const user = network.directory.user(pn)
  if (user && !group.asking?.some((one) => one.pn === pn)) {
    group.asking = [...(group.asking ?? []), { pn, at: now() }]
    network.groups.save(group)
    const attrs = { from: jidOf(group), type: "w:gp2", t: now(), participant: inMode(group.mode, user) }
    const told = el("created_membership_requests", { request_method: "invite_link" }, [
      el("requested_user", { jid: inMode(group.mode, user), ...otherName(group, user) }),
    ])
    for (const admin of group.members.filter((member) => isAdmin(group, member.pn)))
      for (const device of devicesOf(network, admin.pn))
        sendToDevice(network, device, el("notification", { ...attrs, id: newStanzaId() }, [told]))
  }
  return el("membership_approval_request", { jid: jidOf(group) })
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
    const pn = network.directory.find(Jid.parse(attrs.jid))?.pn ?? ""
    return { jid: attrs.jid, pn, isAsking: group.asking?.some((one) => one.pn === pn) === true }
  })
  const pns = decided.flatMap(({ pn, isAsking }) => (isAsking ? [pn] : []))
  group.asking = (group.asking ?? []).filter(({ pn }) => !pns.includes(pn))
  network.groups.save(group)
  if (decision.tag === "approve") addMembers(network, line, group, { pns })
  const answers = decided.map(({ jid, isAsking }) =>
    el("participant", { jid, error: isAsking ? undefined : "404" }),
  )
  return [el("membership_requests_action", {}, [el(decision.tag, {}, answers)])]
}

function forAdmin(network: Network, line: ConnectedDevice, iq: Node): Group {
  const group = network.groups.find(Jid.parse(iq.attrs.to))
  if (!group) throw notFound()
  if (!isAdmin(group, line.device.user)) throw new Refusal(403, "forbidden")
  return group
}

function otherName(group: Group, user: User): Record<string, string> {
  return { [group.mode === "lid" ? "phone_number" : "lid"]: otherMode(group.mode, user) }
}
