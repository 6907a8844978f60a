import type { proto } from "@whiskeysockets/baileys"
import { now } from "../clock.ts"
import type { ConnectedDevice } from "../network/connected-device.ts"
import { type DeviceAddress, deviceName } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import { activate } from "../network/send-to-device.ts"
import * as Jid from "../wire/jid.ts"
import { el, type Node } from "../wire/node.ts"

interface Client {
  payload: proto.IClientPayload
  noiseKey: Buffer
  end(goodbye?: Node): void
}

/**
 * The device a client logs in as. An unknown or removed device and a key other than the one it was
 * linked with are refused with 401, which tells a client to forget its credentials.
 */
export function login(network: Network, client: Client): DeviceAddress | undefined {
  const address = { user: String(client.payload.username), id: client.payload.device ?? 0 }
  const device = network.directory.device(address)
  const fault = network.faults.strike("refuse_login", deviceName(address))
  if (fault) {
    client.end(failure(fault.code, fault.expire ?? undefined))
    return undefined
  }
  if (device?.noiseKey?.equals(client.noiseKey)) {
    const { lc, connectAttemptCount } = client.payload
    network.log.note(deviceName(address), "login", { lc, connectAttemptCount })
    return address
  }
  network.log.note(deviceName(address), "login refused", {
    reason: device ? "another noise key" : "no such device",
  })
  client.end(failure(401))
  return undefined
}

/** The answer to a client that is not let in: why, and for how many seconds if that is said. */
export function failure(reason: number, expire?: number): Node {
  return el("failure", { reason, expire, location: "sim" })
}

/**
 * Tells a client that has logged in who it is. Unless it is passive, sends what waits for it; a passive one
 * asks first.
 */
export function welcomeAndActivate(network: Network, line: ConnectedDevice, client: { passive: boolean }) {
  const user = network.directory.user(line.device.user)
  if (!user) return
  const lid = Jid.format(user.lid, "lid", line.device.id)
  line.send(el("success", { t: now(), lid, location: "sim", props: "1", abprops: "1" }))
  line.send(
    el("ib", { from: Jid.network }, [el("edge_routing", {}, [el("routing_info", {}, Buffer.from([8, 2]))])]),
  )
  if (!client.passive) activateAndGreet(network, line)
}

/** The device takes stanzas from now on; a companion hears from its phone when it is new. */
export function activateAndGreet(network: Network, line: ConnectedDevice) {
  activate(network, line)
  network.phones.get(line.device.user)?.greet(line.device)
}
