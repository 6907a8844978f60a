import { now } from "../../clock.ts"
import { inMode } from "../../network/addressing.ts"
import type { ConnectedDevice } from "../../network/connected-device.ts"
import { type Group, jidOf } from "../../network/groups.ts"
import type { Network } from "../../network/network.ts"
import { devicesOf } from "../../network/notify.ts"
import { sendToDevice } from "../../network/send-to-device.ts"
import { el, newStanzaId, type Node } from "../../wire/node.ts"
import { groupNode, hidesNumberIn } from "./card.ts"

interface News {
  content: Node[]
  /** People who have just left. */
  gone?: string[]
  /** People who have just come, and why. They get everything about the group. */
  joined?: { pns: string[]; reason?: string }
}

/**
 * Notifies every device of every member, and of the people who have just left. The device that made the
 * change is notified as well: by the `key` of its question a client knows the news of a group that it has
 * made itself (whatsmeow, `JoinedGroup.CreateKey`).
 */
export function notifyMembers(
  network: Network,
  line: ConnectedDevice,
  group: Group,
  { content, gone = [], joined }: News,
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
    participant_pn: hidesNumberIn(network, group, author.pn) ? undefined : inMode("pn", author),
    participant_username: network.profiles.get(author.pn).username,
    addressing_mode: group.mode,
    notify: author.name,
  }
  for (const pn of people) {
    const isNew = joined?.pns.includes(pn) === true
    for (const device of devicesOf(network, pn))
      sendToDevice(network, device, el("notification", attrs, isNew ? whole : content))
  }
}
