import { inMode, inOtherMode } from "../../network/addressing.ts"
import type { Group, Member } from "../../network/groups.ts"
import type { Network } from "../../network/network.ts"
import * as Jid from "../../wire/jid.ts"
import { el, type Node } from "../../wire/node.ts"

/** Whether a group does not show this person's number. */
export function hidesNumberIn(network: Network, group: Group, pn: string): boolean {
  const { hidesNumber, username } = network.profiles.get(pn)
  return group.mode === "lid" && (hidesNumber === true || username !== undefined)
}

/** One member as others see it. */
export function memberNode(network: Network, group: Group, member: Member): Node[] {
  const user = network.directory.user(member.pn)
  if (!user) return []
  const hidden = hidesNumberIn(network, group, user.pn)
  const attrs = {
    jid: inMode(group.mode, user),
    [group.mode === "lid" ? "phone_number" : "lid"]: hidden ? undefined : inOtherMode(group.mode, user),
    username: network.profiles.get(user.pn).username,
    display_name: hidden ? redacted(user.pn) : undefined,
    type: member.role === "member" ? undefined : member.role,
  }
  return [el("participant", attrs)]
}

/** A group with all it has, as answers and notifications show it. */
export function groupNode(network: Network, group: Group): Node {
  const person = (pn: string) => {
    const user = network.directory.user(pn)
    const hidden = hidesNumberIn(network, group, pn)
    return user && { jid: inMode(group.mode, user), pn: hidden ? undefined : inMode("pn", user) }
  }
  const [creator, owner] = [person(group.createdBy), person(group.subjectBy)]
  const { description } = group
  return el(
    "group",
    {
      id: group.id,
      subject: group.subject,
      s_t: group.subjectAt,
      s_o: owner?.jid,
      s_o_pn: owner?.pn,
      creation: group.createdAt,
      creator: creator?.jid,
      creator_pn: creator?.pn,
      addressing_mode: group.mode,
      size: group.members.length,
      p_v_id: group.membersVersion ?? group.createdAt,
      a_v_id: group.announcementVersion ?? group.createdAt,
    },
    [
      ...group.members.flatMap((member) => memberNode(network, group, member)),
      ...(description
        ? [
            el(
              "description",
              { id: description.id, t: description.at, participant: person(description.by)?.jid },
              [el("body", {}, Buffer.from(description.text))],
            ),
          ]
        : []),
      ...(group.announcement ? [el("announcement")] : []),
      ...(group.locked ? [el("locked")] : []),
      ...(group.approval ? [el("membership_approval_mode", {}, [el("group_join", { state: "on" })])] : []),
      ...(group.ephemeral ? [el("ephemeral", { expiration: group.ephemeral })] : []),
      ...placeOf(group),
      ...Object.entries(group.settings ?? {}).map(([tag, mode]) =>
        el(tag, {}, mode === "" ? undefined : Buffer.from(mode)),
      ),
      el("member_add_mode", {}, Buffer.from(group.allAdd ? "all_member_add" : "admin_add")),
    ],
  )
}

/** What a group is in a community: the community itself, or one of its groups. */
function placeOf({ isCommunity, approval, community, role }: Group): Node[] {
  const mode = approval ? "request_required" : undefined
  return [
    ...(isCommunity ? [el("parent", { default_membership_approval_mode: mode })] : []),
    ...(community ? [el("linked_parent", { jid: Jid.format(community, "g.us") })] : []),
    ...(role === "announcements" ? [el("default_sub_group")] : []),
    ...(role === "general" ? [el("general_chat")] : []),
  ]
}

/** A number as strangers see it: its first digit and its last two. */
function redacted(pn: string) {
  return `+${pn.slice(0, 1)}${"∙".repeat(pn.length - 3)}${pn.slice(-2)}`
}
