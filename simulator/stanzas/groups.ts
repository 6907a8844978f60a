import { freeId } from "../network/collection.ts"
import { inMode } from "../network/addressing.ts"
import {
  type Group,
  isAdmin,
  jidOf,
  type Member,
  newGroup,
  newInvite,
  type Role,
  roleOf,
} from "../network/groups.ts"
import type { Line } from "../network/line.ts"
import { now } from "../clock.ts"
import type { Network } from "../network/network.ts"
import * as Jid from "../wire/jid.ts"
import { bytes, child, children, el, newStanzaId, type Node } from "../wire/node.ts"
import * as Communities from "./communities.ts"
import * as JoinRequests from "./join-requests.ts"
import { addMembers, nextVersion, removeMembers, tell } from "./members.ts"
import { groupNode, memberNode } from "./group-node.ts"
import { badRequest, notFound, Refusal } from "./refusal.ts"

/** What a member does to a group; the answer, and what the members are told. */
type Change = (change: { network: Network; group: Group; by: string; node: Node }) => {
  answer?: Node[]
  told?: Node[]
  /** Who was not in it before. */
  joined?: string[]
}

/** In characters; more is refused. */
const longest = { subject: 100, description: 2048 }

function checkLength(text: string, most: number) {
  if (text.length > most) throw new Refusal(406, "not-acceptable")
}

/** Members named by the children of a node. */
function named(network: Network, node: Node): string[] {
  return children(node).flatMap(({ attrs }) => network.directory.find(Jid.parse(attrs.jid))?.pn ?? [])
}

export function create(network: Network, line: Line, iq: Node): Node[] {
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

/** The community that a new group is made in. @throws Refusal for whoever is not in it */
function communityFor(network: Network, by: string, asked: Node): Pick<Group, "community"> {
  const wanted = child(asked, "linked_parent")
  if (!wanted) return {}
  const community = network.groups.find(Jid.parse(wanted.attrs.jid))
  if (!community?.isCommunity) throw notFound()
  if (!roleOf(community, by)) throw new Refusal(403, "forbidden")
  return { community: community.id }
}

function describe(group: Group, by: string, node: Node | undefined) {
  const text = bytes(child(node, "body"))?.toString()
  checkLength(text ?? "", longest.description)
  if (text === undefined) delete group.description
  else group.description = { id: node?.attrs.id ?? newStanzaId(), text, by, at: now() }
}

/** A group's card, for its members. */
export function query(network: Network, line: Line, iq: Node): Node[] {
  const group = network.groups.find(Jid.parse(iq.attrs.to))
  if (!group) throw notFound()
  if (!roleOf(group, line.device.user)) throw new Refusal(403, "forbidden")
  return [groupNode(network, group)]
}

export function participating(network: Network, line: Line): Node[] {
  return [
    el(
      "groups",
      {},
      network.groups.of(line.device.user).map((group) => groupNode(network, group)),
    ),
  ]
}

export function leave(network: Network, line: Line, iq: Node): Node[] {
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
export function invite(network: Network, line: Line, iq: Node): Node[] {
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
export function setInvite(network: Network, line: Line, iq: Node): Node[] {
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

function setMembers(tag: string, apply: (members: Member[], pns: string[]) => Member[]): Change {
  return ({ network, group, node }) => {
    const pns = named(network, node)
    const before = group.members.map(({ pn }) => pn)
    group.members = apply(group.members, pns)
    const shown = pns.flatMap((pn) => memberNode(network, group, { pn, role: roleOf(group, pn) ?? "member" }))
    // An answer says how it went for each; that of a notification is who they are now.
    const done = shown.map((member) => el("participant", { jid: member.attrs.jid, type: "200" }))
    return {
      answer: [el(tag, {}, done)],
      told: [el(tag, nextVersion(group), shown)],
      joined: pns.filter((pn) => roleOf(group, pn) && !before.includes(pn)),
    }
  }
}

function withRole(role: Role) {
  return (members: Member[], pns: string[]) =>
    members.map((member) =>
      pns.includes(member.pn) && member.role !== "superadmin" ? { ...member, role } : member,
    )
}

function set(apply: (group: Group) => void): Change {
  return ({ group, node }) => {
    apply(group)
    return { told: [node] }
  }
}

/** By the tag of what is asked for. */
const changes = new Map<string, Change>([
  [
    "add",
    setMembers("add", (members, pns) => [
      ...members,
      ...pns
        .filter((pn) => !members.some((member) => member.pn === pn))
        .map((pn) => ({ pn, role: "member" as const })),
    ]),
  ],
  ["remove", setMembers("remove", (members, pns) => members.filter(({ pn }) => !pns.includes(pn)))],
  ["promote", setMembers("promote", withRole("admin"))],
  ["demote", setMembers("demote", withRole("member"))],
  [
    "subject",
    ({ network, group, by, node }) => {
      const subject = bytes(node)?.toString()
      const user = network.directory.user(by)
      if (!subject || !user) throw badRequest()
      checkLength(subject, longest.subject)
      Object.assign(group, { subject, subjectAt: now(), subjectBy: by })
      return { told: [el("subject", { subject, s_t: now(), s_o: inMode(group.mode, user) })] }
    },
  ],
  [
    "description",
    ({ group, by, node }) => {
      describe(group, by, node)
      const told = el(
        "description",
        { ...node.attrs, id: group.description?.id ?? node.attrs.id },
        node.content,
      )
      return { told: [told] }
    },
  ],
  [
    "invite",
    ({ group }) => {
      group.invite = newInvite()
      return { answer: [el("invite", { code: group.invite })], told: [el("invite", { code: group.invite })] }
    },
  ],
  ["announcement", set((group) => (group.announcement = true))],
  ["not_announcement", set((group) => (group.announcement = false))],
  ["locked", set((group) => (group.locked = true))],
  ["unlocked", set((group) => (group.locked = false))],
  ["not_ephemeral", set((group) => (group.ephemeral = 0))],
  [
    "ephemeral",
    ({ group, node }) => {
      group.ephemeral = Number(node.attrs.expiration ?? 0)
      return { told: [node] }
    },
  ],
  [
    "member_add_mode",
    ({ group, node }) => {
      group.allAdd = bytes(node)?.toString() === "all_member_add"
      return { told: [node] }
    },
  ],
  [
    "membership_approval_mode",
    ({ group, node }) => {
      group.approval = child(node, "group_join")?.attrs.state === "on"
      return { told: [node] }
    },
  ],
])

/** What a member who is no admin may change, too. */
function mayChange(group: Group, by: string, tag: string): boolean {
  if (isAdmin(group, by)) return true
  if (tag === "add") return group.allAdd
  return (tag === "subject" || tag === "description" || tag === "ephemeral") && !group.locked
}

/** A member changes a group. */
export function change(network: Network, line: Line, iq: Node): Node[] {
  const group = network.groups.find(Jid.parse(iq.attrs.to))
  const node = child(iq)
  const apply = changes.get(node?.tag ?? "")
  if (!group) throw notFound()
  if (!node || !apply) throw badRequest()
  const by = line.device.user
  if (!roleOf(group, by)) throw new Refusal(403, "forbidden")
  if (!mayChange(group, by, node.tag)) throw new Refusal(401, "not-authorized")
  const before = group.members.map(({ pn }) => pn)
  return network.store.atomically(() => {
    const { answer = [], told = [], joined = [] } = apply({ network, group, by, node })
    network.groups.save(group)
    tell(network, line, group, { content: told, gone: before, joined: { pns: joined } })
    if (group.isCommunity) Communities.follow(network, line, group, before)
    return answer
  })
}
