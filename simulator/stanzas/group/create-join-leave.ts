import { freeId } from "#simulator/storage/collection.ts"
import { type Group, isAdmin, jidOf, newGroup, roleOf } from "#simulator/network/groups.ts"
import type { ConnectedDevice } from "#simulator/network/connected-device.ts"
import type { Network } from "#simulator/network/network.ts"
import * as Jid from "#simulator/wire/jid.ts"
import { child, children, el, type Node } from "#simulator/wire/node.ts"
import * as Communities from "./communities.ts"
import * as JoinRequests from "./join-requests.ts"
import { addMembers, removeMembers } from "./add-and-remove-members.ts"
import { tell } from "./tell.ts"
import { groupNode } from "./card.ts"
import { badRequest, notFound, Refusal } from "../refusal.ts"
import { change, checkLength, describe, longest, named } from "./change.ts"

/** Makes a group, or a community with its groups. */
export function create(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const asked = child(iq, "create")
  const subject = asked?.attrs.subject
  if (!asked || !subject) throw badRequest()
  checkLength(subject, longest.subject)
  const by = line.device.user
  const members = new Set(named(network, asked))
  members.delete(by)
  const parent = child(asked, "parent")
  const group = newGroup({
    id: freeId(),
    subject,
    by,
    mode: asked.attrs.addressing_mode === "pn" ? "pn" : "lid",
    members: [
      { pn: by, role: "superadmin" as const },
      ...[...members].map((pn) => ({ pn, role: "member" as const })),
    ],
    ...(parent && { isCommunity: true, approval: "default_membership_approval_mode" in parent.attrs }),
    ...communityFor(network, by, asked),
  })
  describe(group, by, child(asked, "description"))
  const node = () => groupNode(network, group)
  network.store.atomically(() => {
    network.groups.save(group)
    tell(network, line, group, {
      content: [el("create", { type: "new", key: asked.attrs.key }, [node()])],
    })
    const wantsGeneral = child(asked, "create_general_chat") !== undefined
    if (parent) Communities.furnish(network, line, group, wantsGeneral)
  })
  return [node()]
}

/** The community that a new group is made in. @throws Refusal if its maker is not in the community */
function communityFor(network: Network, by: string, asked: Node): Pick<Group, "community"> {
  const wanted = child(asked, "linked_parent")
  if (!wanted) return {}
  const community = network.groups.find(Jid.parse(wanted.attrs.jid))
  if (!community?.isCommunity) throw notFound()
  if (!roleOf(community, by)) throw new Refusal(403, "forbidden")
  return { community: community.id }
}

/** A group's card, for its members. */
export function query(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const group = network.groups.find(Jid.parse(iq.attrs.to))
  if (!group) throw notFound()
  if (!roleOf(group, line.device.user)) throw new Refusal(403, "forbidden")
  return [groupNode(network, group)]
}

export function participating(network: Network, line: ConnectedDevice): Node[] {
  return [
    el(
      "groups",
      {},
      network.groups.of(line.device.user).map((group) => groupNode(network, group)),
    ),
  ]
}

export function leave(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const by = line.device.user
  const left = children(child(iq, "leave")).flatMap(({ attrs }) => {
    const group = network.groups.find(Jid.parse(attrs.id))
    return group && roleOf(group, by) ? [group] : []
  })
  if (left.length === 0) throw notFound()
  for (const group of left) {
    const groups = group.isCommunity ? Communities.groupsOf(network, group) : []
    for (const one of [group, ...groups]) removeMembers(network, line, one, [by])
  }
  return [
    el(
      "leave",
      {},
      left.map((group) => el("group", { id: jidOf(group) })),
    ),
  ]
}

/** The code by which strangers join. */
export function invite(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const code = child(iq, "invite")?.attrs.code
  if (code) {
    const group = network.groups.byInvite(code)
    if (!group) throw notFound()
    return [groupNode(network, group)]
  }
  const group = network.groups.find(Jid.parse(iq.attrs.to))
  if (!group) throw notFound()
  if (!isAdmin(group, line.device.user)) throw new Refusal(403, "forbidden")
  return [el("invite", { code: group.invite })]
}

/** Joins by a code, or makes a group's code anew. */
export function setInvite(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const code = child(iq, "invite")?.attrs.code
  if (!code) return change(network, line, iq)
  const group = network.groups.byInvite(code)
  if (!group) throw notFound()
  const by = line.device.user
  if (!roleOf(group, by) && group.approval) return [JoinRequests.ask(network, group, by)]
  const before = group.members.map(({ pn }) => pn)
  addMembers(network, line, group, { pns: [by], reason: "invite" })
  if (group.isCommunity) Communities.follow(network, line, group, before)
  return [el("group", { jid: jidOf(group) })]
}
