import { createHash } from "node:crypto"
import { now } from "../clock.ts"
import { inMode } from "../network/addressing.ts"
import type { ConnectedDevice } from "../network/connected-device.ts"
import type { DeviceAddress, User } from "../network/directory.ts"
import { isAdmin, jidOf, roleOf } from "../network/groups.ts"
import type { Network } from "../network/network.ts"
import { devicesOf, notify, notifyContacts } from "../network/notify.ts"
import { isShown, newQr, type Picture, privacyCategories, privacyValues } from "../network/profiles.ts"
import * as Jid from "../wire/jid.ts"
import { bytes, child, children, el, type Node } from "../wire/node.ts"
import { badRequest, notFound, Refusal } from "./refusal.ts"

function me(network: Network, line: ConnectedDevice): User {
  const user = network.directory.user(line.device.user)
  if (!user) throw new Refusal(401, "not-authorized")
  return user
}

/** Where a person's or group's profile is kept: its number, or the group's address. */
function ownerOf(network: Network, target: string | undefined): string {
  const jid = Jid.parse(target)
  const user = network.directory.find(jid)
  const group = network.groups.find(jid)
  if (user) return user.pn
  if (group) return jidOf(group)
  throw notFound()
}

export function picture(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const owner = ownerOf(network, iq.attrs.target)
  const profile = network.profiles.get(owner)
  const found = profile.picture
  if (!found) throw notFound()
  const asking = { pn: line.device.user, token: bytes(child(child(iq, "picture"), "tctoken")) }
  if (owner !== asking.pn && !isShown(profile, "profile", asking)) throw new Refusal(401, "not-authorized")
  const kind = child(iq, "picture")?.attrs.type === "image" ? "image" : "preview"
  const path = kind === "image" ? found.path : found.preview
  return [el("picture", { id: found.id, type: kind, url: network.media.url(path), direct_path: path })]
}

/** Sets a picture, one's own or a group's; without one, removes it. */
export function setPicture(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const content = bytes(child(iq, "picture"))
  const target = iq.attrs.target
  const owner = target ? ownerOf(network, target) : line.device.user
  const group = network.groups.find(Jid.parse(target))
  if (group ? !roleOf(group, line.device.user) : owner !== line.device.user)
    throw new Refusal(403, "forbidden")
  if (group?.locked && !isAdmin(group, line.device.user)) throw new Refusal(401, "not-authorized")
  const set = content && keepPicture(network, content)
  network.store.atomically(() => {
    network.profiles.change(owner, { picture: set })
    notifyOfPicture(network, line, { group: group && jidOf(group), set })
  })
  return set ? [el("picture", { id: set.id })] : []
}

function keepPicture(network: Network, content: Buffer): Picture {
  const name = createHash("sha256").update(content).digest("base64url")
  const path = network.media.put("ppic", name, content)
  if (!path) throw badRequest()
  return { id: String(Date.now()), path, preview: path }
}

interface Changed {
  group: string | undefined
  set: Picture | undefined
}

function notifyOfPicture(network: Network, line: ConnectedDevice, { group, set }: Changed) {
  const user = me(network, line)
  const about = group ?? inMode("pn", user)
  const content = [
    set
      ? el("set", { jid: about, id: set.id, author: inMode("pn", user) })
      : el("delete", { jid: about, author: inMode("pn", user) }),
  ]
  if (!group) return notifyContacts(network, line.device, { type: "picture", content })
  const members = network.groups.find(Jid.parse(group))?.members ?? []
  for (const { pn } of members)
    for (const device of devicesOf(network, pn, line.device))
      notify(network, device, { from: group, type: "picture", content })
}

/**
 * The former way to set the about text. The network still answers it, and changes nothing (whatsmeow 1219).
 */
export function formerSetAbout(_network: Network, _line: ConnectedDevice, iq: Node): Node[] {
  if (bytes(child(iq, "status")) === undefined) throw badRequest()
  return []
}

/** A device gives its person another about text. Contacts and the person's other devices are told. */
export function changeAbout(network: Network, device: DeviceAddress, about: string) {
  network.profiles.change(device.user, { about, aboutAt: now() })
  notifyContacts(network, device, { type: "status", content: [el("set", {}, Buffer.from(about))] })
}

/** The audience of the asking person's statuses: all contacts, or all but some. */
export function statusPrivacy(network: Network, line: ConnectedDevice): Node[] {
  const { statusHiddenFrom = [] } = network.profiles.get(line.device.user)
  const hidden = statusHiddenFrom.map((pn) => el("user", { jid: Jid.format(pn, Jid.server) }))
  if (hidden.length === 0) return [el("privacy", {}, [el("list", { type: "contacts", default: "true" })])]
  const lists = [el("list", { type: "contacts" }), el("list", { type: "blacklist", default: "true" }, hidden)]
  return [el("privacy", {}, lists)]
}

/** All settings; or, of one category, the people to whom it is not shown. */
export function privacy(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const list = child(child(iq, "privacy"), "list")
  if (!list) return [categories(network, line)]
  const name = list.attrs.name ?? ""
  if (!privacyCategories.includes(name)) throw badRequest()
  const { disallowed = {} } = network.profiles.get(line.device.user)
  return [el("privacy", {}, [disallowedList(network, name, disallowed[name] ?? [])])]
}

function disallowedList(network: Network, name: string, pns: string[]): Node {
  const people = pns.flatMap((pn) => {
    const user = network.directory.user(pn)
    return user ? [el("user", { jid: inMode("lid", user), pn_jid: inMode("pn", user) })] : []
  })
  return el("list", { name, value: "contact_blacklist", dhash: listHash(pns) }, people)
}

/** The version of a list of people, which a client names when it changes the list. */
function listHash(pns: string[]): string | undefined {
  return pns.length === 0 ? undefined : createHash("sha1").update(pns.join()).digest("hex").slice(0, 8)
}

export function setPrivacy(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const asked = children(child(iq, "privacy"))
  const changes = asked.map(({ attrs }) => [attrs.name, attrs.value] as const)
  const isKnown = ([name = "", value = ""]: (typeof changes)[number]) =>
    privacyValues[name]?.includes(value) === true
  if (changes.length === 0 || !changes.every(isKnown)) throw badRequest()
  for (const category of asked) disallow(network, line, category)
  const before = network.profiles.get(line.device.user).privacy
  network.profiles.change(line.device.user, { privacy: { ...before, ...Object.fromEntries(changes) } })
  return [categories(network, line)]
}

/**
 * Changes the people whom a category leaves out. @throws Refusal 409 if the client does not know the present
 * list
 */
function disallow(network: Network, line: ConnectedDevice, { attrs, ...category }: Node) {
  const entries = children({ attrs, ...category }).filter(({ tag }) => tag === "user")
  if (attrs.value !== "contact_blacklist" || entries.length === 0) return
  const { disallowed = {} } = network.profiles.get(line.device.user)
  const name = attrs.name ?? ""
  const before = disallowed[name] ?? []
  if (attrs.dhash !== (listHash(before) ?? "none")) throw new Refusal(409, "conflict")
  const after = new Set(before)
  for (const { attrs: entry } of entries) {
    const user = network.directory.find(Jid.parse(entry.jid))
    if (!user) throw badRequest()
    if (entry.action === "remove") after.delete(user.pn)
    else after.add(user.pn)
  }
  network.profiles.change(line.device.user, { disallowed: { ...disallowed, [name]: [...after] } })
}

/** The timers that there are, in seconds. */
const timers = [0, 86_400, 604_800, 7_776_000]

/** The timer of new chats, in seconds. The person's other devices are told. */
export function setDisappearing(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const duration = Number(child(iq, "disappearing_mode")?.attrs.duration)
  if (!timers.includes(duration)) throw badRequest()
  const at = now()
  network.profiles.change(line.device.user, { disappearing: { duration, at } })
  const content = [el("disappearing_mode", { duration, t: at })]
  for (const device of devicesOf(network, line.device.user, line.device))
    notify(network, device, { from: inMode("pn", me(network, line)), type: "account_sync", content })
  return []
}

function categories(network: Network, line: ConnectedDevice): Node {
  const set = network.profiles.get(line.device.user).privacy
  return el(
    "privacy",
    {},
    privacyCategories.map((name) =>
      el("category", { name, value: set[name] ?? (name === "defense" ? "off" : "all") }),
    ),
  )
}

export function blocklist(network: Network, line: ConnectedDevice): Node[] {
  return [blocked(network, line)]
}

export function setBlocklist(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const { action, jid } = child(iq, "item")?.attrs ?? {}
  const user = network.directory.find(Jid.parse(jid))
  if (!user || (action !== "block" && action !== "unblock")) throw badRequest()
  const rest = network.profiles.get(line.device.user).blocked.filter((pn) => pn !== user.pn)
  network.profiles.change(line.device.user, { blocked: action === "block" ? [...rest, user.pn] : rest })
  const from = inMode("pn", me(network, line))
  const content = [el("blocklist", {}, [el("item", { action, jid: inMode("lid", user) })])]
  for (const device of devicesOf(network, line.device.user, line.device))
    notify(network, device, { from, type: "account_sync", content })
  return [blocked(network, line)]
}

function blocked(network: Network, line: ConnectedDevice): Node {
  const list = network.profiles.get(line.device.user).blocked
  const items = list.flatMap((pn) => {
    const user = network.directory.user(pn)
    return user ? [el("item", { jid: inMode("lid", user), pn_jid: inMode("pn", user) })] : []
  })
  return el("list", { dhash: createHash("sha1").update(list.join()).digest("hex").slice(0, 8) }, items)
}

/** The code behind one's personal QR; `revoke` makes another. */
export function qr(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const { action, type } = child(iq, "qr")?.attrs ?? {}
  if (type !== "contact") throw badRequest()
  const profile =
    action === "revoke"
      ? network.profiles.change(line.device.user, { qr: newQr() })
      : network.profiles.get(line.device.user)
  return [el("qr", { code: `https://wa.me/qr/${profile.qr}`, type })]
}

/** The owner of a personal QR code. */
export function ownerOfQr(network: Network, _line: ConnectedDevice, iq: Node): Node[] {
  const code = child(iq, "qr")?.attrs.code?.split("/").at(-1)
  const user = network.directory.users().find(({ pn }) => network.profiles.get(pn).qr === code)
  if (!code || !user) throw notFound()
  return [el("qr", { jid: inMode("pn", user), notify: user.name, type: "contact" })]
}

/** Gives tokens to people whom one trusts. With them they may start a chat; each is told. */
export function giveTokens(network: Network, line: ConnectedDevice, iq: Node): Node[] {
  const user = me(network, line)
  for (const { attrs } of children(child(iq, "tokens"))) {
    const holder = network.directory.find(Jid.parse(attrs.jid))
    if (!holder || attrs.type !== "trusted_contact") continue
    const given = network.profiles.get(user.pn).tokens
    const token = given[holder.pn] ?? createHash("sha256").update(`${user.lid} ${holder.lid}`).digest()
    network.profiles.change(user.pn, { tokens: { ...given, [holder.pn]: token } })
    for (const device of devicesOf(network, holder.pn))
      notify(network, device, {
        from: inMode("pn", user),
        type: "privacy_token",
        attrs: { sender_lid: inMode("lid", user) },
        content: [
          el("tokens", {}, [
            el(
              "token",
              { jid: inMode("lid", holder, device.id), t: attrs.t ?? now(), type: attrs.type },
              token,
            ),
          ]),
        ],
      })
  }
  return []
}
