import { createHash } from "node:crypto"
import { inMode, type Mode, shownMode } from "../network/addressing.ts"
import { type DeviceAddress, deviceName, type User } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import { contactsOf, devicesOf, notify } from "../network/notify.ts"
import * as Jid from "../wire/jid.ts"
import { el } from "../wire/node.ts"
import { keyIndexList } from "./key-index-list.ts"

/**
 * Tells a person's other devices and the person's contacts that a companion has come or gone. The device is
 * named in both modes, as clients keep their lists by either. Of the devices that remain, a hash is given in
 * each mode.
 */
export function notifyOfDevice(network: Network, what: "add" | "remove", device: DeviceAddress) {
  const user = network.directory.user(device.user)
  const known = network.directory.device(device)
  if (!user || !known || network.faults.strike("silent_devices", deviceName(device))) return
  const rest = devicesOf(network, device.user, what === "remove" ? device : undefined)
  const hashes = { device_hash: hashOf("pn", user, rest), device_lid_hash: hashOf("lid", user, rest) }
  const [jid, lid] = [inMode("pn", user, device.id), inMode("lid", user, device.id)]
  const content = [
    el(what, hashes, [
      el("device", { jid, lid, "key-index": known.keyIndex }),
      el("device", { jid: lid, "key-index": known.keyIndex }),
      keyIndexList(network, user),
    ]),
  ]
  const notification = { type: "devices", attrs: { lid: inMode("lid", user) }, content }
  for (const own of devicesOf(network, user.pn, device))
    notify(network, own, { from: inMode("pn", user), ...notification })
  notifyByHash(network, user)
  notifyOwn(network, user, rest, device)
}

/**
 * Tells contacts that a person's devices have changed, and names the person by a hash alone. The notice comes
 * from the contact's own account, under the private id once the account was moved to private ids
 * (whatsapp-rust 1101).
 */
function notifyByHash(network: Network, user: User) {
  for (const pn of contactsOf(network, user.pn)) {
    const contact = network.directory.user(pn)
    if (!contact) continue
    const from = inMode(shownMode(network, pn, "lid"), contact)
    const hash = contactHash(shownMode(network, pn, "lid") === "lid" ? user.lid : user.pn)
    const content = [el("update", { hash })]
    for (const to of devicesOf(network, pn)) notify(network, to, { from, type: "devices", content })
  }
}

/**
 * The first three bytes of an MD5 of the number or private id, in Base64 (`WAWebApiContact`; whatsapp-rust,
 * `crypto.rs`).
 */
export function contactHash(user: string): string {
  return createHash("md5").update(`${user}WA_ADD_NOTIF`).digest().subarray(0, 3).toString("base64")
}

/**
 * Also tells the account's other companions which devices remain: some clients learn of their own account's
 * devices in no other way.
 */
function notifyOwn(network: Network, user: User, remaining: DeviceAddress[], except: DeviceAddress) {
  const listed = remaining.map((one) => {
    const index = one.id === 0 ? undefined : network.directory.device(one)?.keyIndex
    return el("device", { jid: inMode("pn", user, one.id), "key-index": index })
  })
  const list = [...listed, keyIndexList(network, user)]
  const devices = el("devices", { dhash: hashOf("pn", user, remaining) }, list)
  const companions = devicesOf(network, user.pn, except).filter(({ id }) => id !== 0)
  for (const to of companions)
    notify(network, to, { from: inMode("pn", user), type: "account_sync", content: [devices] })
}

/** The hash of one person's devices. */
function hashOf(mode: Mode, user: User, devices: DeviceAddress[]): string {
  return deviceHash(
    mode,
    devices.map((device) => [user, device]),
  )
}

/**
 * The network's hash of a list of devices (`phash`). Clients compute it from their own list: the full
 * addresses, with the agent 0, sorted and joined.
 */
export function deviceHash(mode: Mode, devices: [User, DeviceAddress][]): string {
  const named = devices.map(([user, { id }]) => {
    const { user: name, server } = Jid.parse(inMode(mode, user)) ?? { user: "", server: "" }
    return `${name}.0:${id}@${server}`
  })
  const hash = createHash("sha256").update(named.toSorted().join("")).digest()
  return `2:${hash.subarray(0, 6).toString("base64").replaceAll("=", "")}`
}
