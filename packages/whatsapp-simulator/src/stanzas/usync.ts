import { keyIndexList } from "../devices/key-index-list.ts"
import { inMode } from "../network/addressing.ts"
import type { ConnectedDevice } from "../network/connected-device.ts"
import { deviceName, type User } from "../network/directory.ts"
import { knowEachOther } from "../network/household-isolation.ts"
import type { Network } from "../network/network.ts"
import { isShown } from "../network/profiles.ts"
import * as Jid from "../wire/jid.ts"
import { bytes, child, children, el, type Node } from "../wire/node.ts"
import { businessNode } from "./business.ts"
import { badRequest } from "./refusal.ts"

/** Answers about one person, by the protocol asked for. */
type Protocol = (network: Network, user: User, asked: Asked) => Node | Node[]

interface Asked {
  /** The number as it was asked about, if it was. */
  number: Buffer | undefined
  /** The person who asks, and the token that they show. */
  by: { pn: string; token: Buffer | undefined }
}

const protocols = new Map<string, Protocol>([
  ["devices", devices],
  ["lid", (_network, user) => el("lid", { val: Jid.format(user.lid, "lid") })],
  ["contact", (_network, _user, { number }) => el("contact", { type: "in" }, number)],
  ["status", status],
  ["business", businessNode],
  ["text_status", textStatus],
  ["disappearing_mode", disappearing],
  ["username", username],
])

/**
 * The people of a list who are on the network, with their devices and LIDs. Others are left out, unless they
 * were asked about by number.
 */
export function usync(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const asking = network.directory.user(line.device.user)
  const asked = child(iq, "usync")
  const query = children(child(asked, "query"))
  const list = children(child(asked, "list"))
  // Each client has these attributes, as WhatsApp Web does (whatsmeow, `user.go`; Baileys; whatsapp-rust;
  // zapo).
  const isWhole = ["sid", "mode", "context", "index", "last"].every((name) => asked?.attrs[name])
  const isOfVersion = query.every(({ tag, attrs }) => tag !== "devices" || attrs.version === "2")
  if (query.length === 0 || !isWhole || !isOfVersion) throw badRequest()
  const found = list.flatMap((entry) => {
    const name = child(entry, "contact")?.attrs.username
    if (name) return [byUsername(network, asking, child(entry, "contact")?.attrs ?? {})]
    const jid = whom(entry)
    const number = bytes(child(entry, "contact"))
    const known = findable(network, jid) ?? (number && findable(network, inOtherSpelling(jid)))
    const user = knowEachOther(asking, known) ? known : undefined
    if (!jid || (!user && !number)) return []
    const by = { pn: line.device.user, token: bytes(child(entry, "tctoken")) }
    const content = user
      ? query.flatMap(({ tag }) => protocols.get(tag)?.(network, user, { number, by }) ?? [])
      : [el("contact", { type: "out" }, number)]
    const isByLid = user && network.faults.strike("named_by_lid", deviceName(line.device))
    const named = user && number ? inMode("pn", user) : Jid.format(jid.user, jid.server)
    return [el("user", isByLid ? byLid(user) : { jid: named }, content)]
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

/** Now and then the live network names a person by private id although the question named the number. */
function byLid(user: User): Record<string, string> {
  return { jid: inMode("lid", user), pn_jid: inMode("pn", user) }
}

/** A person is asked about by address, or by phone number with a plus. */
function whom(entry: Node): Jid.Jid | undefined {
  const jid = Jid.parse(entry.attrs.jid)
  if (jid) return jid
  const phone = bytes(child(entry, "contact"))?.toString().replace(/\D/g, "")
  return phone ? { user: phone, server: Jid.server, device: 0 } : undefined
}

/** Finds a person by address. A person with a username is not found by number, only by private id. */
function findable(network: Network, jid: Jid.Jid | undefined): User | undefined {
  const found = network.directory.find(jid)
  const isHidden = found && jid?.server !== "lid" && network.profiles.get(found.pn).username !== undefined
  return isHidden ? undefined : found
}

/**
 * A number in its other spelling: with or without the 9 of Brazil and Argentina, the 1 of Mexico. Only who
 * asks by number is told.
 */
function inOtherSpelling(jid: Jid.Jid | undefined): Jid.Jid | undefined {
  const [, before, after = ""] = /^(55\d\d|52|54)(.*)$/.exec(jid?.user ?? "") ?? []
  if (!jid || before === undefined) return undefined
  const added = before === "52" ? "1" : "9"
  return { ...jid, user: `${before}${after.startsWith(added) ? after.slice(1) : `${added}${after}`}` }
}

/**
 * Finds a person by username. If the person wants a PIN with it and the given one is wrong or missing, their
 * address is not told.
 */
function byUsername(network: Network, asking: User | undefined, asked: Node["attrs"]): Node {
  const found = network.directory
    .users()
    .find(({ pn }) => network.profiles.get(pn).username === asked.username)
  if (!found || !knowEachOther(asking, found)) return el("user", {}, [el("contact", { type: "out" })])
  const { usernamePin } = network.profiles.get(found.pn)
  const isKnown = usernamePin === undefined || usernamePin === asked.pin
  const contact = el("contact", { type: "in", username: asked.username })
  return el("user", { jid: isKnown ? Jid.format(found.lid, "lid") : undefined }, [contact])
}

function username(network: Network, user: User): Node[] {
  const name = network.profiles.get(user.pn).username
  return name === undefined ? [] : [el("username", {}, Buffer.from(name))]
}

/** The about text with what the mex mutation set beside it. */
function textStatus(network: Network, user: User, { by }: Asked): Node {
  const profile = network.profiles.get(user.pn)
  const { about, aboutAt, textStatus: more } = profile
  if (by.pn !== user.pn && !isShown(profile, "status", by))
    return el("text_status", { code: 401, type: "fail" })
  const attrs = { text: about, ephemeral_duration_sec: more?.duration, last_update_time: aboutAt }
  return el("text_status", attrs, more?.emoji ? [el("emoji", { content: more.emoji })] : undefined)
}

/** The timer of the person's new chats. */
function disappearing(network: Network, user: User): Node {
  const { duration, at } = network.profiles.get(user.pn).disappearing ?? { duration: 0, at: 0 }
  return el("disappearing_mode", { duration, t: at })
}

/** The about text; 401 when its owner does not show it to the asking person. */
function status(network: Network, user: User, { by }: Asked): Node {
  const profile = network.profiles.get(user.pn)
  const { about, aboutAt } = profile
  if (by.pn !== user.pn && !isShown(profile, "status", by)) return el("status", { code: 401, type: "fail" })
  return el("status", { t: aboutAt }, about === "" ? undefined : Buffer.from(about))
}

function devices(network: Network, user: User): Node {
  const isHidden = network.faults.strike("no_devices", deviceName({ user: user.pn, id: 0 }))
  const known = isHidden ? [] : network.directory.devices(user.pn)
  const list = known.map(({ id, keyIndex }) =>
    el("device", { id, "key-index": id === 0 ? undefined : keyIndex }),
  )
  return el("devices", {}, [el("device-list", {}, list), keyIndexList(network, user)])
}
