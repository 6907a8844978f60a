import type { ConnectedDevice } from "../../network/connected-device.ts"
import { type Group, type Member, roleOf } from "../../network/groups.ts"
import type { Network } from "../../network/network.ts"
import { el } from "../../wire/node.ts"
import { memberNode } from "./card.ts"
import { notifyMembers } from "./notify-members.ts"

/** Raises the version of a group's members. @returns the version before, and the new one */
export function raiseMembersVersion(group: Group): { prev_v_id: string; v_id: string } {
  const before = group.membersVersion ?? group.createdAt
  group.membersVersion = before + 1
  return { prev_v_id: String(before), v_id: String(group.membersVersion) }
}

/** Removes these people from the group, as far as they are in it, and tells all. */
export function removeMembers(network: Network, line: ConnectedDevice, group: Group, pns: string[]): void {
  const gone = pns.filter((pn) => roleOf(group, pn))
  if (gone.length === 0) return
  network.store.atomically(() => {
    const shown = gone.flatMap((pn) => memberNode(network, group, { pn, role: "member" }))
    group.members = group.members.filter(({ pn }) => !gone.includes(pn))
    const content = [el("remove", raiseMembersVersion(group), shown)]
    network.groups.save(group)
    notifyMembers(network, line, group, { content, gone })
  })
}

/** Makes these people members of the group, as far as they are none yet, and tells all. */
export function addMembers(
  network: Network,
  line: ConnectedDevice,
  group: Group,
  joined: { pns: string[]; reason?: string },
): void {
  const members: Member[] = joined.pns
    .filter((pn) => !roleOf(group, pn))
    .map((pn) => ({ pn, role: "member" }))
  if (members.length === 0) return
  network.store.atomically(() => {
    group.members = [...group.members, ...members]
    const shown = members.flatMap((member) => memberNode(network, group, member))
    const content = [el("add", { ...raiseMembersVersion(group), reason: joined.reason }, shown)]
    network.groups.save(group)
    notifyMembers(network, line, group, { content, joined })
  })
}
