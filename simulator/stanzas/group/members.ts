import { inMode } from "#simulator/network/addressing.ts"
import { sendToDevice } from "#simulator/network/send-to-device.ts"
import { type Group, jidOf, type Member, roleOf } from "#simulator/network/groups.ts"
import type { ConnectedDevice } from "#simulator/network/connected-device.ts"
import { now } from "#simulator/clock.ts"
import type { Network } from "#simulator/network/network.ts"
import { devicesOf } from "#simulator/network/notify.ts"
import { el, newStanzaId, type Node } from "#simulator/wire/node.ts"
import { groupNode, hidesIn, memberNode } from "./card.ts"

interface Told {
  content: Node[]
  /** People who have just left. */
  gone?: string[]
  /** People who have just come, and why. They are told everything about the group. */
  joined?: { pns: string[]; reason?: string }
}

/** Tells every device of every member, and of who has just left, but not the one that did it. */
export function tell(
  network: Network,
  line: ConnectedDevice,
  group: Group,
  { content, gone = [], joined }: Told,
) {
  const author = network.directory.user(line.device.user)
  if (!author || content.length === 0) return
  const people = new Set([...group.members.map(({ pn }) => pn), ...gone])
  const whole = [el("create", { reason: joined?.reason }, [groupNode(network, group)])]
  const attrs = {
    from: jidOf(group),
    type: "w:gp2",
    id: newStanzaId(),
    t: now(),
    participant: inMode(group.mode, author),
    participant_pn: hidesIn(network, group, author.pn) ? undefined : inMode("pn", author),
    addressing_mode: group.mode,
    notify: author.name,
  }
  for (const pn of people) {
    const isNew = joined?.pns.includes(pn) === true
    // A device that joins by itself is told, too: its answer did not have the group in it.
    for (const device of devicesOf(network, pn, isNew ? undefined : line.device))
      sendToDevice(network, device, el("notification", attrs, isNew ? whole : content))
  }
}

/** Its members change: from which version of them, and to which. */
export function nextVersion(group: Group): { prev_v_id: string; v_id: string } {
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
    const content = [el("remove", nextVersion(group), shown)]
    network.groups.save(group)
    tell(network, line, group, { content, gone })
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
    const content = [el("add", { ...nextVersion(group), reason: joined.reason }, shown)]
    network.groups.save(group)
    tell(network, line, group, { content, joined })
  })
}
