import { now } from "../../clock.ts"
import type { ConnectedDevice } from "../../network/connected-device.ts"
import { type Group, isAdmin, jidOf, mostMembers, newGroup, roleOf } from "../../network/groups.ts"
import { knowEachOther } from "../../network/household-isolation.ts"
import type { Network } from "../../network/network.ts"
import { newItemId } from "../../storage/collection.ts"
import * as Jid from "../../wire/jid.ts"
import { bytes, child, children, el, type Node } from "../../wire/node.ts"
import { badRequest, notFound, Refusal } from "../refusal.ts"
import { answerFor, refusalToAdd } from "./admin-changes-members.ts"
import { groupNode } from "./card.ts"
import { addMembers, removeMembers } from "./change-members.ts"
import { change, checkLength, setDescription, longest, timers } from "./change.ts"
import * as Communities from "./communities.ts"
import * as JoinRequests from "./join-requests.ts"
import { notifyMembers } from "./notify-members.ts"

/** Makes a group, or a community with its groups. */
export function create(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const asked = child(iq, "create")
  const subject = asked?.attrs.subject
  if (!asked || !subject || !isToAll(iq)) throw badRequest()
  checkLength(subject, longest.subject)
  const by = line.device.user
  const parent = child(asked, "parent")
  const group = newGroup({
    id: newItemId(),
    subject,
    by,
    mode: asked.attrs.addressing_mode === "pn" ? "pn" : "lid",
    members: [{ pn: by, role: "superadmin" as const }],
    ...(parent && { isCommunity: true, approval: "default_membership_approval_mode" in parent.attrs }),
    ...communityFor(network, by, asked),
    ...settingsIn(asked),
  })
  const refused = addFirst(network, group, by, asked)
  setDescription(group, by, child(asked, "description"))
  const node = () => groupNode(network, group)
  network.store.atomically(() => {
    network.groups.save(group)
    notifyMembers(network, line, group, {
      content: [el("create", { type: "new", key: asked.attrs.key }, [node()])],
    })
    const wantsGeneral = child(asked, "create_general_chat") !== undefined
    if (parent) Communities.createFirstGroups(network, line, group, wantsGeneral)
  })
  const made = node()
  return [{ ...made, content: [...children(made), ...refused] }]
}

/** The settings with which a group is made. */
function settingsIn(asked: Node) {
  const approval = child(child(asked, "membership_approval_mode"), "group_join")?.attrs.state === "on"
  const mode = bytes(child(asked, "member_add_mode"))?.toString()
  const ephemeral = Number(child(asked, "ephemeral")?.attrs.expiration ?? 0)
  if (!timers.includes(ephemeral)) throw badRequest()
  const shared = bytes(child(asked, historyMode))?.toString()
  return {
    announcement: child(asked, "announcement") !== undefined,
    locked: child(asked, "locked") !== undefined,
    ...(mode && { allAdd: mode === "all_member_add" }),
    ...(approval && { approval }),
    ephemeral,
    ...(shared && { settings: { [historyMode]: shared } }),
  }
}

const historyMode = "member_share_group_history_mode"

/** Adds a new group's first members. @returns those who did not become members, each with the reason */
function addFirst(network: Network, group: Group, by: string, asked: Node): Node[] {
  const wanted = children(asked).filter(({ tag }) => tag === "participant")
  if (wanted.length >= mostMembers) throw new Refusal(419, "resource-limit")
  return wanted.flatMap((one) => {
    const { jid } = one.attrs
    const user = network.directory.find(Jid.parse(jid))
    if (user?.pn === by) return []
    const error = user ? refusalToAdd(network, group, { by, pn: user.pn, node: one }) : 404
    if (error !== undefined) return [answerFor(group, { jid, user, error }, error === 403 ? by : undefined)]
    group.members = [...group.members, { pn: user!.pn, role: "member" }]
    return []
  })
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

/** Whether a question is to groups as a whole, and not to one of them. zapo names only the server. */
const isToAll = (iq: Node): boolean => iq.attrs.to === "@g.us" || iq.attrs.to === "g.us"

/** A group's card, for its members. */
export function query(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const group = network.groups.find(Jid.parse(iq.attrs.to))
  if (!group) throw notFound()
  if (!roleOf(group, line.device.user)) throw new Refusal(403, "forbidden")
  return [groupNode(network, group)]
}

/**
 * The cards of all groups that one is in; with members and descriptions if they are asked for (whatsapp-rust,
 * `iq/groups.rs`).
 */
export function participating(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  if (!isToAll(iq)) throw badRequest()
  const asked = child(iq, "participating")
  const cards = network.groups.of(line.device.user).map((group) => groupNode(network, group))
  return [
    el(
      "groups",
      {},
      cards.map((card) => ({ ...card, content: children(card).filter(({ tag }) => isWanted(asked, tag)) })),
    ),
  ]
}

function isWanted(asked: Node | undefined, tag: string): boolean {
  if (tag === "participant") return child(asked, "participants") !== undefined
  return tag !== "description" || child(asked, "description") !== undefined
}

export function leave(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const by = line.device.user
  if (!isToAll(iq)) throw badRequest()
  const left = children(child(iq, "leave")).flatMap(({ attrs }) => {
    const group = network.groups.find(Jid.parse(attrs.id))
    return group && roleOf(group, by) ? [group] : []
  })
  if (left.length === 0) throw notFound()
  for (const group of left) {
    const groups = group.isCommunity ? Communities.groupsOf(network, group) : []
    for (const one of [group, ...groups]) {
      one.left = [...(one.left ?? []).filter(({ pn }) => pn !== by), { pn: by, at: now() }]
      removeMembers(network, line, one, [by])
    }
  }
  return [
    el(
      "leave",
      {},
      left.map((group) => el("group", { id: jidOf(group) })),
    ),
  ]
}

/**
 * The group that a code leads to.
 * @throws Refusal 410 for a former code of a group; 406 for any other code, and for a group of another
 * household
 */
function invitedTo(network: Network, line: ConnectedDevice, code: string): Group {
  const { directory } = network
  const group = network.groups.byInvite(code)
  const maker = group && directory.user(group.createdBy)
  if (group && knowEachOther(directory.user(line.device.user), maker)) return group
  throw network.groups.byFormerInvite(code) ? new Refusal(410, "gone") : new Refusal(406, "not-acceptable")
}

/**
 * Without a code in the question: the code by which strangers join, for admins only. With a code: the group
 * that it leads to, for any asker.
 */
export function invite(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const code = child(iq, "invite")?.attrs.code
  if (code) return [withoutMembers(groupNode(network, invitedTo(network, line, code)))]
  const group = network.groups.find(Jid.parse(iq.attrs.to))
  if (!group) throw notFound()
  const by = line.device.user
  if (!roleOf(group, by)) throw new Refusal(403, "forbidden")
  if (!isAdmin(group, by)) throw new Refusal(401, "not-authorized")
  return [el("invite", { code: group.invite })]
}

/** As strangers see a group. */
function withoutMembers(card: Node): Node {
  return { ...card, content: children(card).filter(({ tag }) => tag !== "participant") }
}

/** Joins by a code, or makes a group's code anew. */
export function setInvite(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const code = child(iq, "invite")?.attrs.code
  if (!code) return change(network, line, iq)
  const group = invitedTo(network, line, code)
  const by = line.device.user
  if (roleOf(group, by)) throw new Refusal(409, "conflict")
  if (group.removed?.includes(by)) throw new Refusal(401, "not-authorized")
  if (group.members.length >= mostMembers) throw new Refusal(419, "resource-limit")
  if (group.approval) return [JoinRequests.ask(network, group, by)]
  const before = group.members.map(({ pn }) => pn)
  addMembers(network, line, group, { pns: [by], reason: "invite" })
  if (group.isCommunity) Communities.followMembers(network, line, group, before)
  return [el("group", { jid: jidOf(group) })]
}
