import type { ConnectedDevice } from "../network/connected-device.ts"
import { type DeviceAddress, deviceName } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import { Refusal } from "../stanzas/refusal.ts"
import * as Jid from "../wire/jid.ts"
import { child, el, type Node } from "../wire/node.ts"
import { notifyOfDevice } from "./notify-of-devices.ts"

/** A device logs out; a phone may also log out its companions. */
export function removeCompanion(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const jid = Jid.parse(child(iq, "remove-companion-device")?.attrs.jid)
  const user = network.directory.find(jid)
  const address = { user: user?.pn ?? "", id: jid?.device ?? 0 }
  const allowed = address.user === line.device.user && (line.device.id === 0 || line.device.id === address.id)
  if (!allowed || address.id === 0) throw new Refusal(403, "forbidden")
  unlink(network, address)
  return []
}

/** Forgets a companion: its keys, what waits for it, and, if it is connected, its connection. */
export function unlink(network: Network, address: DeviceAddress) {
  network.store.atomically(() => {
    notifyOfDevice(network, "remove", address)
    network.directory.removeDevice(address)
    network.prekeys.clear(address)
    network.queue.clear(address)
  })
  network.log.note(deviceName(address), "device removed")
  const line = network.lines.get(deviceName(address))
  // A device that logs itself out waits for the result, which is sent before this.
  queueMicrotask(() =>
    line?.end(el("stream:error", { code: "401" }, [el("conflict", { type: "device_removed" })])),
  )
}
