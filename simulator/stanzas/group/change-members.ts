import type { ConnectedDevice } from "#simulator/network/connected-device.ts"
import { type Group, type Member, roleOf } from "#simulator/network/groups.ts"
import type { Network } from "#simulator/network/network.ts"
import { el } from "#simulator/wire/node.ts"
import { memberNode } from "./card.ts"
import { notifyMembers } from "./notify-members.ts"

/** Its members change: from which version of them, and to which. */
export function raiseMembersVersion(group: Group): { prev_v_id: string; v_id: string } {
  const before = group.membersVersion ?? group.createdAt
  group.membersVersion = before + 1
  return { prev_v_id: String(before), v_id: String(group.membersVersion) }
}

/** Those who are in it leave it, and all are told. */
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

/** Those who are not in it yet become members, and all are told. */
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
