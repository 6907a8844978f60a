import { createHash } from "node:crypto"
import { el } from "../wire/node.ts"
import { inMode, type Mode } from "../network/addressing.ts"
import { type Address, key, type User } from "../network/directory.ts"
import { keyIndexList } from "./key-index-list.ts"
import type { Network } from "../network/network.ts"
import { tellContacts } from "../network/notify.ts"
import * as Jid from "../wire/jid.ts"

/**
 * Tells a person's other devices and its contacts that a companion came or goes. The device is named
 * in both modes, as clients keep their lists by either.
 */
export function tellDevice(network: Network, what: "add" | "remove", device: Address) {
  const user = network.directory.user(device.user)
  const known = network.directory.device(device)
  if (!user || !known || network.faults.strike("silent_devices", key(device))) return
  const ids = network.directory.devices(device.user).map(({ id }) => id)
  const device_hash = `2:${createHash("sha256").update(ids.join()).digest("base64").slice(0, 6)}`
  const [jid, lid] = [inMode("pn", user, device.id), inMode("lid", user, device.id)]
  const content = [
    el(what, { device_hash }, [
      el("device", { jid, lid, "key-index": known.keyIndex }),
      el("device", { jid: lid, "key-index": known.keyIndex }),
      keyIndexList(network, user),
    ]),
  ]
  tellContacts(network, device, { type: "devices", attrs: { lid: inMode("lid", user) }, content })
}

/**
 * The network's hash of a list of devices (`phash`). Clients compute it from their own list: the full addresses, with the
 * agent 0, sorted and joined.
 */
export function deviceHash(mode: Mode, devices: [User, Address][]): string {
  const named = devices.map(([user, { id }]) => {
    const { user: name, server } = Jid.parse(inMode(mode, user)) ?? { user: "", server: "" }
    return `${name}.0:${id}@${server}`
  })
  const hash = createHash("sha256").update(named.toSorted().join("")).digest()
  return `2:${hash.subarray(0, 6).toString("base64").replaceAll("=", "")}`
}
