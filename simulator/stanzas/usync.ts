import { knowEachOther } from "../network/household-isolation.ts"
import { key, type User } from "../network/directory.ts"
import type { ConnectedDevice } from "../network/connected-device.ts"
import { keyIndexList } from "../devices/key-index-list.ts"
import type { Network } from "../network/network.ts"
import * as Jid from "../wire/jid.ts"
import { bytes, child, children, el, type Node } from "../wire/node.ts"
import { business } from "./business.ts"
import { badRequest } from "./refusal.ts"

/** Answers about one person, by the protocol asked for. `number`: as it was asked about, if by number. */
type Protocol = (network: Network, user: User, number: Buffer | undefined) => Node

const protocols = new Map<string, Protocol>([
  ["devices", devices],
  ["lid", (_network, user) => el("lid", { val: Jid.format(user.lid, "lid") })],
  ["contact", (_network, _user, number) => el("contact", { type: "in" }, number)],
  ["status", status],
  ["business", business],
  ["disappearing_mode", () => el("disappearing_mode", { duration: 0, t: 0 })],
])

/**
 * The people of a list who are on the network, with their devices and LIDs. Others are left out, unless it was
 * asked about by number.
 */
export function usync(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const asking = network.directory.user(line.device.user)
  const asked = child(iq, "usync")
  const query = children(child(asked, "query"))
  const list = children(child(asked, "list"))
  if (query.length === 0) throw badRequest()
  const found = list.flatMap((entry) => {
    const jid = whom(entry)
    const known = network.directory.find(jid)
    const user = knowEachOther(asking, known) ? known : undefined
    const number = bytes(child(entry, "contact"))
    if (!jid || (!user && !number)) return []
    const content = user
      ? query.flatMap(({ tag }) => protocols.get(tag)?.(network, user, number) ?? [])
      : [el("contact", { type: "out" }, number)]
    return [el("user", { jid: Jid.format(jid.user, jid.server) }, content)]
  })
  const { sid, mode, context } = asked?.attrs ?? {}
  return [
    el("usync", { sid, mode, context, index: "0", last: "true" }, [
      el(
        "result",
        {},
        query.map(({ tag }) => el(tag)),
      ),
      el("list", {}, found),
    ]),
  ]
}

/** A person is asked about by address, or by phone number with a plus. */
function whom(entry: Node): Jid.Jid | undefined {
  const jid = Jid.parse(entry.attrs.jid)
  if (jid) return jid
  const phone = bytes(child(entry, "contact"))?.toString().replace(/\D/g, "")
  return phone ? { user: phone, server: Jid.server, device: 0 } : undefined
}

/** The about text; 401 when its owner shows it to nobody. */
function status(network: Network, user: User): Node {
  const { about, aboutAt, privacy } = network.profiles.get(user.pn)
  if (privacy.status === "none") return el("status", { code: 401, type: "fail" })
  return el("status", { t: aboutAt }, about === "" ? undefined : Buffer.from(about))
}

function devices(network: Network, user: User): Node {
  const isHidden = network.faults.strike("no_devices", key({ user: user.pn, id: 0 }))
  const known = isHidden ? [] : network.directory.devices(user.pn)
  const list = known.map(({ id, keyIndex }) =>
    el("device", { id, "key-index": id === 0 ? undefined : keyIndex }),
  )
  return el("devices", {}, [el("device-list", {}, list), keyIndexList(network, user)])
}
