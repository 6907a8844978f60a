import { hash } from "node:crypto"
import { now } from "../clock.ts"
import type { PreKey } from "../devices/prekeys.ts"
import type { ConnectedDevice } from "../network/connected-device.ts"
import { type DeviceAddress, type Device, deviceName } from "../network/directory.ts"
import type { FaultKind } from "../network/faults.ts"
import type { Network } from "../network/network.ts"
import { sendToDevice } from "../network/send-to-device.ts"
import * as Curve from "../wire/curve.ts"
import * as Jid from "../wire/jid.ts"
import { bigEndian, bytes, child, children, el, type Node, uint } from "../wire/node.ts"
import { badRequest, Refusal } from "./refusal.ts"

/** Signal's type byte of a Curve25519 key. */
const curveType = Buffer.from([5])

/** A device with fewer than this many prekeys left is asked for more (clients refill below five). */
const few = 5

export function count(network: Network, line: ConnectedDevice): Node[] {
  return [el("count", { value: network.prekeys.count(line.device) })]
}

/** A device leaves its keys: its own, the signed prekey, and more one-time prekeys. */
export function upload(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const device = own(network, line.device)
  const registrationId = uint(child(iq, "registration"))
  const identity = bytes(child(iq, "identity"))
  const keys = children(child(iq, "list")).map(preKey)
  const isOfCurve = bytes(child(iq, "type"))?.equals(curveType)
  if (registrationId === undefined || !identity || !isOfCurve) throw badRequest()
  if (!identity.equals(device.identity)) throw new Refusal(406, "not-acceptable")
  const signedPreKey = signed(device, child(iq, "skey"))
  network.store.atomically(() => {
    network.directory.saveDevice({ ...device, registrationId, signedPreKey })
    for (const id of network.prekeys.add(line.device, keys))
      network.log.note(deviceName(line.device), "prekey changed", { id })
  })
  return []
}

export function rotate(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const device = own(network, line.device)
  const signedPreKey = signed(device, child(child(iq, "rotate"), "skey"))
  network.directory.saveDevice({ ...device, signedPreKey })
  return []
}

/** The keys of a device that the network has, for the device to compare. */
export function digest(network: Network, line: ConnectedDevice): Node[] {
  const device = own(network, line.device)
  const preKeys = network.prekeys.all(line.device)
  const { value, signature } = device.signedPreKey
  const hashed = [device.identity, value, signature, ...preKeys.map((preKey) => preKey.value)]
  return [
    el("digest", {}, [
      el("registration", {}, bigEndian(device.registrationId, 4)),
      el("type", {}, curveType),
      el("identity", {}, device.identity),
      skey(device),
      el(
        "list",
        {},
        preKeys.map(({ id }) => el("id", {}, bigEndian(id, 3))),
      ),
      el("hash", {}, hash("sha1", Buffer.concat(hashed), "buffer")),
    ]),
  ]
}

/** Keys to start sessions with, with a one-time prekey each while there are any. */
export function bundles(network: Network, _line: ConnectedDevice, iq: Node): Node[] {
  const asked = children(child(iq, "key"))
  if (asked.length === 0) throw badRequest()
  return [
    el(
      "list",
      {},
      asked.map(({ attrs }) => bundle(network, attrs.jid)),
    ),
  ]
}

/**
 * Answers with the keys of the named devices of people: WhatsApp Web asks in this way when a device has asked
 * for a message three times, and says which registration that device gave. A device without keys is left out.
 */
export function deviceBundles(network: Network, _line: ConnectedDevice, iq: Node): Node[] {
  const asked = children(child(iq, "key_fetch"))
  if (asked.length === 0) throw badRequest()
  return [
    el(
      "list",
      {},
      asked.map((user) => missingOf(network, user)),
    ),
  ]
}

function missingOf(network: Network, user: Node): Node {
  const { jid } = user.attrs
  const owner = Jid.parse(jid)
  if (!owner || !network.directory.find(owner)) return withoutKeys(jid)
  const found = children(user).flatMap(({ attrs: { id } }) => {
    const keys = bundle(network, Jid.format(owner.user, owner.server, Number(id)))
    return child(keys, "error") ? [] : [el("device", { id }, children(keys))]
  })
  return el("user", { jid, t: now() }, found)
}

function withoutKeys(jid: string | undefined, code = 404, text = "item-not-found"): Node {
  return el("user", { jid }, [el("error", { code, text })])
}

function bundle(network: Network, jid: string | undefined): Node {
  const parsed = Jid.parse(jid)
  const user = network.directory.find(parsed)
  const device = user && network.directory.device({ user: user.pn, id: parsed?.device ?? 0 })
  if (!device) return withoutKeys(jid)
  const strikes = (kind: FaultKind) =>
    network.faults.strike(kind, deviceName({ user: device.user, id: device.id }))
  if (strikes("no_keys")) return withoutKeys(jid)
  if (strikes("not_acceptable")) return withoutKeys(jid, 406, "not-acceptable")
  if (strikes("keys_fail")) return withoutKeys(jid, 503, "service-unavailable")
  const preKey = network.prekeys.consume({ user: device.user, id: device.id })
  askForMore(network, device)
  return el("user", { jid, t: now() }, [
    el("registration", {}, bigEndian(device.registrationId, 4)),
    el("type", {}, curveType),
    el("identity", {}, device.identity),
    ...(preKey
      ? [el("key", {}, [el("id", {}, bigEndian(preKey.id, 3)), el("value", {}, preKey.value)])]
      : []),
    skey(device),
    ...(device.signedIdentity ? [el("device-identity", {}, device.signedIdentity)] : []),
  ])
}

function askForMore(network: Network, device: Device) {
  const left = network.prekeys.count({ user: device.user, id: device.id })
  if (left !== few - 1 && left !== 0) return
  sendToDevice(
    network,
    { user: device.user, id: device.id },
    el("notification", { from: Jid.network, type: "encrypt", id: `prekeys-${now()}-${left}`, t: now() }, [
      el("count", { value: left }),
    ]),
  )
}

function own(network: Network, address: DeviceAddress): Device {
  const device = network.directory.device(address)
  if (!device) throw new Refusal(401, "not-authorized")
  return device
}

function skey(device: Device): Node {
  const { id, value, signature } = device.signedPreKey
  return el("skey", {}, [
    el("id", {}, bigEndian(id, 3)),
    el("value", {}, value),
    el("signature", {}, signature),
  ])
}

/** A device that asks for a message again may give its sender a prekey, for a new session. */
export function noteGivenPreKey(network: Network, { device }: ConnectedDevice, receipt: Node) {
  const given = child(child(receipt, "keys"), "key")
  const id = uint(child(given, "id"))
  const value = bytes(child(given, "value"))
  if (id === undefined || !value) return
  if (network.prekeys.given(device, { id, value }))
    network.log.note(deviceName(device), "prekey changed", { id })
}

function preKey(node: Node): PreKey {
  const id = uint(child(node, "id"))
  const value = bytes(child(node, "value"))
  if (id === undefined || value?.length !== 32) throw badRequest()
  return { id, value }
}

/** A signed prekey, whose signature must be the device's own. */
function signed(device: Device, node: Node | undefined) {
  const id = uint(child(node, "id"))
  const value = bytes(child(node, "value"))
  const signature = bytes(child(node, "signature"))
  if (id === undefined || value?.length !== 32 || !signature) throw badRequest()
  if (!Curve.verify(device.identity, Buffer.concat([curveType, value]), signature))
    throw new Refusal(406, "not-acceptable")
  return { id, value, signature }
}
