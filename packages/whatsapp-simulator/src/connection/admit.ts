import { proto } from "@whiskeysockets/baileys"
import * as Pairing from "../devices/pairing.ts"
import { type ConnectedDevice, newProgress } from "../network/connected-device.ts"
import { type DeviceAddress, deviceName } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import { writeWaiting } from "../network/send-to-device.ts"
import { failure, login, welcomeAndActivate } from "../stanzas/login.ts"
import { setAvailable } from "../stanzas/presence.ts"
import { receive, receiveUnpaired } from "../stanzas/receive.ts"
import { el, type Node } from "../wire/node.ts"
import type { Finished } from "../wire/noise.ts"
import type { Outlet } from "./outlet.ts"

/** Takes a client's stanzas. */
type Taker = (stanza: Node) => void

/** Lets a client in by its description of itself. Undefined if it was refused, and told so. */
export function admit(
  network: Network,
  outlet: Outlet,
  said: Pick<Finished, "payload" | "noiseKey">,
): Taker | undefined {
  const payload = proto.ClientPayload.decode(said.payload)
  const client = { payload, noiseKey: said.noiseKey, send: outlet.send, end: outlet.end }
  // A client has to say what it is (whatsmeow, `ConnectFailureBadUserAgent`).
  const isNamed = payload.userAgent?.appVersion?.primary
  if (!isNamed || isOutdated(network, payload)) {
    outlet.end(failure(isNamed ? 405 : 409))
    return undefined
  }
  if (!payload.username) return asCompanion(network, outlet, client)
  const device = login(network, client)
  return device && asDevice(network, outlet, { device, passive: payload.passive ?? false })
}

function isOutdated({ faults }: Network, { userAgent }: proto.ClientPayload): boolean {
  const oldest = faults.list().find(({ kind, version }) => kind === "outdated" && version)?.version
  const { primary, secondary, tertiary } = userAgent?.appVersion ?? {}
  const own = [primary, secondary, tertiary].map((part) => part ?? 0)
  const isGood = oldest && compare(own, oldest.split(".").map(Number)) >= 0
  return !isGood && faults.strike("outdated", "*") !== undefined
}

function compare(one: number[], other: number[]): number {
  const at = one.findIndex((part, i) => part !== other[i])
  return at < 0 ? 0 : one[at]! - (other[at] ?? 0)
}

function asDevice(
  network: Network,
  outlet: Outlet,
  { device, passive }: { device: DeviceAddress; passive: boolean },
): Taker {
  const { send, end, cut, writable } = outlet
  const line: ConnectedDevice = { device, send, end, cut, writable, ...newProgress() }
  outlet.name = deviceName(device)
  outlet.onDrained(() => writeWaiting(network, line))
  outlet.atEnd(() => leave(network, line))
  replace(network, line)
  welcomeAndActivate(network, line, { passive })
  return (stanza) => receive(network, line, stanza)
}

/** A client that is not linked yet: it gets its codes, and waits for a phone. */
function asCompanion(network: Network, outlet: Outlet, client: Pairing.Companion): Taker | undefined {
  const pairing = Pairing.begin(network, client)
  if (!pairing) {
    outlet.end(failure(400))
    return undefined
  }
  outlet.atEnd(() => Pairing.forget(network, pairing))
  return (stanza) => receiveUnpaired(network, pairing, stanza)
}

/** A second login of one device takes the place of the first. */
function replace(network: Network, line: ConnectedDevice) {
  const name = deviceName(line.device)
  const first = network.lines.get(name)
  network.lines.set(name, line)
  first?.end(el("stream:error", {}, [el("conflict", { type: "replaced" })]))
}

function leave(network: Network, line: ConnectedDevice) {
  if (network.lines.get(deviceName(line.device)) !== line) return
  network.lines.delete(deviceName(line.device))
  clearTimeout(line.owed?.clock)
  setAvailable(network, line.device, false)
  network.presence.leave(line.device)
}
