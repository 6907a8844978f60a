import { inMode } from "../../network/addressing.ts"
import type { ConnectedDevice } from "../../network/connected-device.ts"
import { type Group, isAdmin, jidOf, newGroup, roleOf } from "../../network/groups.ts"
import type { Network } from "../../network/network.ts"
import { newItemId } from "../../storage/collection.ts"
import * as Jid from "../../wire/jid.ts"
import { child, children, el, type Node } from "../../wire/node.ts"
import { badRequest, notFound, Refusal } from "../refusal.ts"
import { groupNode, memberNode } from "./card.ts"
import { addMembers, removeMembers } from "./change-members.ts"
import { notifyMembers } from "./notify-members.ts"

// A community is a group of groups: no messages are written in it, and its members may join the groups that
// are linked to it. Its group for announcements is made with it, and has all of its members.

/** The groups of a community, the one for announcements first. */
export function groupsOf(network: Network, community: Group): Group[] {
  const linked = network.groups.list().filter(({ community: id }) => id === community.id)
  return linked.toSorted((a, b) => Number(b.role === "announcements") - Number(a.role === "announcements"))
}

/**
 * Makes what a new community comes with: a group for announcements and, if it is wanted, one for everything.
 */
export function createFirstGroups(
  network: Network,
  line: ConnectedDevice,
  community: Group,
  wantsGeneral: boolean,
): void {
  const roles = wantsGeneral ? (["announcements", "general"] as const) : (["announcements"] as const)
  for (const role of roles) {
    const subject = role === "general" ? "General" : community.subject
    const { members, mode, createdBy: by } = community
    const group = newGroup({ id: newItemId(), subject, by, mode, members, community: community.id, role })
    group.announcement = role === "announcements"
    network.groups.save(group)
    notifyMembers(network, line, group, {
      content: [el("create", { type: "new" }, [groupNode(network, group)])],
    })
  }
}

/**
 * The members of a community have changed. New ones get its announcements, former ones leave all of its
 * groups.
 */
export function followMembers(
  network: Network,
  line: ConnectedDevice,
  community: Group,
  before: string[],
): void {
  const now = community.members.map(({ pn }) => pn)
  const gone = before.filter((pn) => !now.includes(pn))
  for (const group of groupsOf(network, community)) {
    if (group.role === "announcements") addMembers(network, line, group, { pns: now })
    removeMembers(network, line, group, gone)
  }
}

/** `<sub_groups>`: the groups of a community. */
export function list(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const community = communityOf(network, line, iq)
  return [
    el(
      "sub_groups",
      {},
      groupsOf(network, community).map((group) => card(network, group)),
    ),
  ]
}

/** Lists the members of all of its groups, each person once. */
export function participants(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const community = communityOf(network, line, iq)
  const all = new Map(
    groupsOf(network, community).flatMap(({ members }) => members.map((member) => [member.pn, member])),
  )
  const shown = [...all.values()].flatMap((member) => memberNode(network, community, member))
  return [el("linked_groups_participants", {}, shown)]
}

/** One of its groups, for a member of the community who need not be in that group. */
export function queryLinked(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const community = communityOf(network, line, iq)
  return [whole(network, linkedTo(network, community, child(iq, "query_linked")))]
}

/** A member of the community joins one of its groups. */
export function join(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const community = communityOf(network, line, iq)
  const group = linkedTo(network, community, child(iq, "join_linked_group"))
  addMembers(network, line, group, { pns: [line.device.user], reason: "linked_group_join" })
  return [whole(network, group)]
}

/** Makes groups part of the community; their members become its members. */
export function link(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const community = communityOf(network, line, iq, isAdmin)
  const asked = child(child(iq, "links"), "link")
  const wanted = children(asked)
  if (asked?.attrs.link_type !== "sub_group" || wanted.length === 0) throw badRequest()
  const done = wanted.map(({ attrs: { jid } }) => {
    const group = network.groups.find(Jid.parse(jid))
    if (!group || group.isCommunity || group.community) return el("group", { jid, error: 404 })
    if (!isAdmin(group, line.device.user)) return el("group", { jid, error: 403 })
    group.community = community.id
    network.groups.save(group)
    notifyBoth(network, line, { community, group }, (type, about) =>
      el("link", { link_type: type }, [card(network, about)]),
    )
    const before = community.members.map(({ pn }) => pn)
    addMembers(network, line, community, { pns: group.members.map(({ pn }) => pn) })
    followMembers(network, line, community, before)
    return el("group", { jid })
  })
  return [el("links", {}, [el("link", { link_type: "sub_group" }, done)])]
}

/** Takes groups out of the community. They go on by themselves. */
export function unlink(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const community = communityOf(network, line, iq, isAdmin)
  const asked = child(iq, "unlink")
  const wanted = children(asked)
  if (asked?.attrs.unlink_type !== "sub_group" || wanted.length === 0) throw badRequest()
  const done = wanted.map(({ attrs: { jid } }) => {
    const group = groupsOf(network, community).find((one) => jidOf(one) === jid)
    if (!group || group.role === "announcements") return el("group", { jid, error: 404 })
    part(network, line, { community, group }, "unlink_group")
    return el("group", { jid })
  })
  return [el("unlink", { unlink_type: "sub_group" }, done)]
}

/** Ends a community. Its groups go on by themselves, but for its announcements. */
export function end(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const community = communityOf(network, line, iq, isAdmin)
  for (const group of groupsOf(network, community)) {
    part(network, line, { community, group }, "delete_parent")
    if (group.role === "announcements") remove(network, line, group)
  }
  remove(network, line, community)
  return []
}

function remove(network: Network, line: ConnectedDevice, group: Group) {
  notifyMembers(network, line, group, { content: [el("delete", { reason: "deleted" })] })
  network.groups.remove(group.id)
}

type Pair = Record<"community" | "group", Group>

function part(network: Network, line: ConnectedDevice, pair: Pair, unlink_reason: string) {
  delete pair.group.community
  network.groups.save(pair.group)
  notifyBoth(network, line, pair, (unlink_type, about) =>
    el("unlink", { unlink_type, unlink_reason }, [card(network, about)]),
  )
}

/** Tells a community's members about the group, and the group's members about the community. */
function notifyBoth(
  network: Network,
  line: ConnectedDevice,
  { community, group }: Pair,
  content: (type: "sub_group" | "parent_group", about: Group) => Node,
) {
  notifyMembers(network, line, community, { content: [content("sub_group", group)] })
  notifyMembers(network, line, group, { content: [content("parent_group", community)] })
}

/** A group as lists of a community's groups show it. */
function card(network: Network, group: Group): Node {
  const creator = network.directory.user(group.createdBy)
  const attrs = {
    id: group.id,
    jid: jidOf(group),
    subject: group.subject,
    s_t: group.subjectAt,
    creation: group.createdAt,
    creator: creator && inMode(group.mode, creator),
    size: group.members.length,
  }
  return el("group", attrs, group.role === "announcements" ? [el("default_sub_group")] : undefined)
}

function whole(network: Network, group: Group): Node {
  return el("linked_group", {}, [groupNode(network, group)])
}

function linkedTo(network: Network, community: Group, asked: Node | undefined): Group {
  const group = network.groups.find(Jid.parse(asked?.attrs.jid))
  if (group?.community !== community.id) throw notFound()
  return group
}

/** @throws Refusal where it is no community, or the asking person may not ask. */
function communityOf(
  network: Network,
  line: ConnectedDevice,
  iq: Node,
  may: (group: Group, pn: string) => unknown = roleOf,
): Group {
  const community = network.groups.find(Jid.parse(iq.attrs.to))
  if (!community?.isCommunity) throw notFound()
  if (!may(community, line.device.user)) throw new Refusal(403, "forbidden")
  return community
}
