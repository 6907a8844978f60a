import { now } from "../clock.ts"
import { alsoKnownAs, inMode, modeOf, shownMode } from "../network/addressing.ts"
import type { ConnectedDevice } from "../network/connected-device.ts"
import { type DeviceAddress, deviceName, type User } from "../network/directory.ts"
import { jidOf, roleOf } from "../network/groups.ts"
import type { Network } from "../network/network.ts"
import { devicesOf } from "../network/notify.ts"
import type { Watcher } from "../network/presence.ts"
import { isShown } from "../network/profiles.ts"
import * as Jid from "../wire/jid.ts"
import { bytes, child, children, el, type Node } from "../wire/node.ts"

/** A device says whether its person looks, under which name it goes, or whom it wants to watch. */
export function presence(network: Network, line: ConnectedDevice, stanza: Node) {
  const { type, name } = stanza.attrs
  if (type === "subscribe") return subscribe(network, line, stanza)
  const user = network.directory.user(line.device.user)
  if (!user) return
  if (name && user.name !== name) network.directory.saveUser(Object.assign(user, { name }))
  // Clients also send it without a type, with nothing but the name.
  if (type === "available" || type === "unavailable") setAvailable(network, line.device, type === "available")
}

/** A device's person looks, or does not any more. Those who watch are told. */
export function setAvailable(network: Network, device: DeviceAddress, looks: boolean) {
  const user = network.directory.user(device.user)
  if (!user) return
  network.presence.set(device, looks)
  const known = looks && device.id !== 0 && network.directory.device(device)
  if (known) network.directory.saveDevice({ ...known, lastAvailable: now() })
  for (const watcher of network.presence.watching(user.pn))
    network.lines.get(deviceName(watcher.device))?.send(seen(network, user, watcher))
}

function subscribe(network: Network, line: ConnectedDevice, stanza: Node) {
  const jid = Jid.parse(stanza.attrs.to)
  const user = network.directory.find(jid)
  if (!jid || !user) return
  const watcher = { device: line.device, mode: modeOf(jid), token: bytes(child(stanza, "tctoken")) }
  network.presence.watch(user.pn, watcher)
  line.send(seen(network, user, watcher))
}

function seen(network: Network, user: User, { device, mode, token }: Watcher): Node {
  const from = inMode(mode, user)
  if (network.presence.isAvailable(user.pn)) return el("presence", { from })
  const isVisible = isShown(network.profiles.get(user.pn), "last", { pn: device.user, token })
  const last = isVisible ? network.presence.lastSeen(user.pn) : "deny"
  return el("presence", { from, type: "unavailable", last: last ?? "deny" })
}

/** A device writes or records in a chat: shown to those who are connected, never kept. */
export function chatState(network: Network, line: ConnectedDevice, stanza: Node) {
  const user = network.directory.user(line.device.user)
  const jid = Jid.parse(stanza.attrs.to)
  if (!user || !jid) return
  const group = network.groups.find(jid)
  if (group && !roleOf(group, user.pn)) return
  const peer = network.directory.find(jid)
  const people = group ? group.members.map(({ pn }) => pn) : peer ? [peer.pn] : []
  const mode = group?.mode ?? (peer ? shownMode(network, peer.pn, modeOf(jid)) : modeOf(jid))
  const from = inMode(mode, user)
  const attrs = group
    ? { from: jidOf(group), participant: from }
    : { from, ...alsoKnownAs(network, user, { mode, prefix: "sender" }) }
  for (const pn of people.filter((one) => one !== user.pn))
    for (const device of devicesOf(network, pn)) {
      const other = network.lines.get(deviceName(device))
      if (other?.active) other.send(el("chatstate", attrs, children(stanza)))
    }
}
