import { inMode } from "#simulator/network/addressing.ts"
import { type Group, isAdmin, type Member, newInvite, type Role, roleOf } from "#simulator/network/groups.ts"
import type { ConnectedDevice } from "#simulator/network/connected-device.ts"
import { now } from "#simulator/clock.ts"
import type { Network } from "#simulator/network/network.ts"
import * as Jid from "#simulator/wire/jid.ts"
import { bytes, child, children, el, newStanzaId, type Node } from "#simulator/wire/node.ts"
import * as Communities from "./communities.ts"
import { nextVersion } from "./add-and-remove-members.ts"
import { tell } from "./tell.ts"
import { memberNode } from "./card.ts"
import { badRequest, notFound, Refusal } from "../refusal.ts"

/** A change of a group by a member: the answer, and the news for all members. */
type Change = (change: { network: Network; group: Group; by: string; node: Node }) => {
  answer?: Node[]
  told?: Node[]
  /** People who were not in it before. */
  joined?: string[]
}

/** In characters; more is refused. */
export const longest = { subject: 100, description: 2048 }

/** @throws Refusal 406 for a text that is too long */
export function checkLength(text: string, most: number) {
  if (text.length > most) throw new Refusal(406, "not-acceptable")
}

/** Members named by the children of a node. */
export function named(network: Network, node: Node): string[] {
  return children(node).flatMap(({ attrs }) => network.directory.find(Jid.parse(attrs.jid))?.pn ?? [])
}

/** Sets or, without a text, removes a description. @throws Refusal 406 */
export function describe(group: Group, by: string, node: Node | undefined) {
  const text = bytes(child(node, "body"))?.toString()
  checkLength(text ?? "", longest.description)
  if (text === undefined) delete group.description
  else group.description = { id: node?.attrs.id ?? newStanzaId(), text, by, at: now() }
}

function setMembers(tag: string, apply: (members: Member[], pns: string[]) => Member[]): Change {
  return ({ network, group, node }) => {
    const pns = named(network, node)
    const before = group.members.map(({ pn }) => pn)
    group.members = apply(group.members, pns)
    const shown = pns.flatMap((pn) => memberNode(network, group, { pn, role: roleOf(group, pn) ?? "member" }))
    // An answer says how it went for each member. A notification says what they are now.
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

/** Settings that a group keeps and shows as they were set, each with the tag that takes it back. */
const flags = [
  ["group_history", "no_group_history"],
  ["allow_admin_reports", "not_allow_admin_reports"],
  ["no_frequently_forwarded", "frequently_forwarded_ok"],
  ["allow_non_admin_sub_group_creation", "not_allow_non_admin_sub_group_creation"],
] as const

/** The others, whose content says who may. */
const modes = ["member_link_mode", "member_share_group_history_mode"] as const

const keptSettings: [string, Change][] = [
  ...flags.flatMap(([on, off]): [string, Change][] => [
    [on, set((group) => (group.settings = { ...group.settings, [on]: "" }))],
    [
      off,
      set((group) => {
        const { [on]: _gone, ...rest } = group.settings ?? {}
        group.settings = rest
      }),
    ],
  ]),
  ...modes.map((tag): [string, Change] => [
    tag,
    ({ group, node }) => {
      const mode = bytes(node)?.toString()
      if (!mode || mode.length > longest.subject) throw badRequest()
      group.settings = { ...group.settings, [tag]: mode }
      return { told: [node] }
    },
  ]),
]

function set(apply: (group: Group) => void): Change {
  return ({ group, node }) => {
    apply(group)
    return { told: [node] }
  }
}

/** Whether only admins write. The news says from which version of that, and to which, as for members. */
function announce(announcement: boolean): Change {
  return ({ group, node: { tag } }) => {
    const before = group.announcementVersion ?? group.createdAt
    Object.assign(group, { announcement, announcementVersion: before + 1 })
    return { told: [el(tag, { prev_v_id: String(before), v_id: String(before + 1) })] }
  }
}

/** By the tag of what is asked for. */
const changes = new Map<string, Change>([
  ...keptSettings,
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
  ["announcement", announce(true)],
  ["not_announcement", announce(false)],
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

/** Whether a member may make this change. Members who are no admins may make few. */
function mayChange(group: Group, by: string, tag: string): boolean {
  if (isAdmin(group, by)) return true
  if (tag === "add") return group.allAdd
  return (tag === "subject" || tag === "description" || tag === "ephemeral") && !group.locked
}

/** A member changes a group. */
export function change(network: Network, line: ConnectedDevice, iq: Node): Node[] {
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
