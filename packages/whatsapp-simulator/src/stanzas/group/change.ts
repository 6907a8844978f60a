import { now } from "../../clock.ts"
import { inMode } from "../../network/addressing.ts"
import type { ConnectedDevice } from "../../network/connected-device.ts"
import { type Group, isAdmin, newInvite, roleOf } from "../../network/groups.ts"
import type { Network } from "../../network/network.ts"
import * as Jid from "../../wire/jid.ts"
import { bytes, child, el, newStanzaId, type Node } from "../../wire/node.ts"
import { badRequest, notFound, Refusal } from "../refusal.ts"
import * as Members from "./admin-changes-members.ts"
import * as Communities from "./communities.ts"
import { notifyMembers } from "./notify-members.ts"

/** A change of a group by a member: the answer, and the news for all members. */
type Change = (change: { network: Network; group: Group; by: string; node: Node }) => {
  answer?: Node[]
  news?: Node[]
  /** People who were not in it before. */
  joined?: string[]
}

/** In characters; more is refused. */
export const longest = { subject: 100, description: 2048 }

/** @throws Refusal 406 for a text that is too long */
export function checkLength(text: string, most: number) {
  if (text.length > most) throw new Refusal(406, "not-acceptable")
}

/** Sets or, without a text, removes a description. @throws Refusal 406 */
export function setDescription(group: Group, by: string, node: Node | undefined) {
  const text = bytes(child(node, "body"))?.toString()
  checkLength(text ?? "", longest.description)
  if (text === undefined) delete group.description
  else group.description = { id: node?.attrs.id ?? newStanzaId(), text, by, at: now() }
}

/** Settings that a group keeps and shows as they were set, each with the tag that takes it back. */
const flags = [
  ["group_history", "no_group_history"],
  ["allow_admin_reports", "not_allow_admin_reports"],
  ["no_frequently_forwarded", "frequently_forwarded_ok"],
  ["allow_non_admin_sub_group_creation", "not_allow_non_admin_sub_group_creation"],
] as const

/** Further settings that are kept. Their content says who may do something. */
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
      return { news: [node] }
    },
  ]),
]

/** Seconds: a day, a week, 90 days. */
export const timers = [0, 86_400, 604_800, 7_776_000]

const addModes = ["all_member_add", "admin_add"]

function set(apply: (group: Group) => void): Change {
  return ({ group, node }) => {
    apply(group)
    return { news: [node] }
  }
}

/**
 * Sets whether only admins write. The news has the version of this setting before and after, as it has for
 * members.
 */
function announce(announcement: boolean): Change {
  return ({ group, node: { tag } }) => {
    const before = group.announcementVersion ?? group.createdAt
    Object.assign(group, { announcement, announcementVersion: before + 1 })
    return { news: [el(tag, { prev_v_id: String(before), v_id: String(before + 1) })] }
  }
}

/** The changes, by the tag of the question. */
const changes = new Map<string, Change>([
  ...keptSettings,
  ["add", Members.add],
  ["remove", Members.remove],
  ["promote", Members.giveRole("promote", "admin")],
  ["demote", Members.giveRole("demote", "member")],
  [
    "subject",
    ({ network, group, by, node }) => {
      const subject = bytes(node)?.toString()
      const user = network.directory.user(by)
      if (!subject || !user) throw badRequest()
      checkLength(subject, longest.subject)
      Object.assign(group, { subject, subjectAt: now(), subjectBy: by })
      return { news: [el("subject", { subject, s_t: now(), s_o: inMode(group.mode, user) })] }
    },
  ],
  [
    "description",
    ({ group, by, node }) => {
      // An id is not required (WhatsApp Web, `WASmaxOutGroupsSetDescriptionRequest`; whatsmeow).
      if (!child(node, "body") && node.attrs.delete !== "true") throw badRequest()
      // An admin who changes the description must have seen the present one.
      if (node.attrs.prev !== group.description?.id) throw new Refusal(409, "conflict")
      setDescription(group, by, node)
      const { delete: isGone, ...attrs } = node.attrs
      const id = group.description?.id ?? attrs.id
      // Its removal is a part of the news, not an attribute (whatsmeow, `group.go`).
      return { news: [el("description", { ...attrs, id }, isGone ? [el("delete")] : node.content)] }
    },
  ],
  [
    "invite",
    ({ group }) => {
      group.formerInvites = [...(group.formerInvites ?? []), group.invite]
      group.invite = newInvite()
      return { answer: [el("invite", { code: group.invite })], news: [el("invite", { code: group.invite })] }
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
      const seconds = Number(node.attrs.expiration)
      if (!timers.includes(seconds)) throw badRequest()
      group.ephemeral = seconds
      return { news: [node] }
    },
  ],
  [
    "member_add_mode",
    ({ group, node }) => {
      const mode = bytes(node)?.toString() ?? ""
      if (!addModes.includes(mode)) throw badRequest()
      group.allAdd = mode === "all_member_add"
      return { news: [node] }
    },
  ],
  [
    "membership_approval_mode",
    ({ group, node }) => {
      const { state } = child(node, "group_join")?.attrs ?? {}
      if (state !== "on" && state !== "off") throw badRequest()
      group.approval = state === "on"
      if (!group.approval) delete group.asking
      return { news: [node] }
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
    const { answer = [], news = [], joined = [] } = apply({ network, group, by, node })
    network.groups.save(group)
    notifyMembers(network, line, group, { content: news, gone: before, joined: { pns: joined } })
    if (group.isCommunity) Communities.followMembers(network, line, group, before)
    return answer
  })
}
