import { now } from "../clock.ts"
import { el, newStanzaId, type Node } from "../wire/node.ts"
import { inMode } from "./addressing.ts"
import { type DeviceAddress, deviceName } from "./directory.ts"
import type { Network } from "./network.ts"
import { sendToDevice } from "./send-to-device.ts"

interface Notification {
  from: string
  type: string
  content: Node[]
  attrs?: Record<string, string | undefined>
}

/** Queues a notification for a device. */
export function notify(network: Network, to: DeviceAddress, notification: Notification) {
  const { from, type, content, attrs } = notification
  const id = newStanzaId()
  sendToDevice(network, to, el("notification", { from, type, id, t: now(), ...attrs }, content))
}

/** A person's devices, without `except`. */
export function devicesOf(network: Network, pn: string, except?: DeviceAddress): DeviceAddress[] {
  return network.directory
    .devices(pn)
    .map(({ user, id }) => ({ user, id }))
    .filter((device) => !except || deviceName(device) !== deviceName(except))
}

/** The people with whom a person has chats or groups. */
export function contactsOf(network: Network, pn: string): string[] {
  const chats = network.phones.get(pn)?.handset.inbox.chats() ?? []
  const inGroups = network.groups.of(pn).flatMap(({ members }) => members.map((member) => member.pn))
  const known = new Set([...chats, ...inGroups].filter((chat) => network.directory.user(chat)))
  known.delete(pn)
  return [...known]
}

/** Notifies a person's other devices, and those of its contacts, about a change of its own. */
export function notifyContacts(
  network: Network,
  about: DeviceAddress,
  notification: Omit<Notification, "from">,
) {
  const user = network.directory.user(about.user)
  if (!user) return
  const from = inMode("pn", user)
  for (const device of devicesOf(network, about.user, about))
    notify(network, device, { from, ...notification })
  for (const pn of contactsOf(network, about.user))
    for (const device of devicesOf(network, pn)) notify(network, device, { from, ...notification })
}
