import { randomBytes } from "node:crypto"
import { now } from "../clock.ts"
import { deviceHash } from "../devices/notify-of-devices.ts"
import { alsoKnownAs, findDevice, inMode, type Mode, modeOf, shownMode } from "../network/addressing.ts"
import type { ConnectedDevice } from "../network/connected-device.ts"
import { type DeviceAddress, deviceName, type User } from "../network/directory.ts"
import { type Group, isAdmin, jidOf, roleOf } from "../network/groups.ts"
import { namesStranger } from "../network/household-isolation.ts"
import type { Network } from "../network/network.ts"
import { devicesOf } from "../network/notify.ts"
import { revealInTime, withoutKey } from "../network/scheduled-messages.ts"
import { sendToDevice } from "../network/send-to-device.ts"
import * as Jid from "../wire/jid.ts"
import { bytes, child, children, el, type Node } from "../wire/node.ts"
import { verifiedNameNodes } from "./business.ts"
import { hidesNumberIn } from "./group/card.ts"
import { publish, react } from "./newsletter.ts"

/** The parts of a message that each recipient gets, besides its own ciphertext. */
const carried = new Set(["meta", "biz", "bot"])

/**
 * Nacks of the network. 400: addressed in a way that the account may not use, or in two ways at once; 463:
 * may not start this chat, or not under its number; 479: a stanza that is addressed or built wrongly.
 */
const nack = { addressing: 400, forbidden: 403, unknownRecipient: 404, restricted: 463, invalid: 479 }

/** The `edit` of a message by which an admin of a group revokes another member's message. */
const adminRevokes = "8"

/** The size of a ciphertext that was spoilt on its way; no other is as short. */
export const spoiltSize = 16

/** A message on its way: who sent it, and to which chat. */
interface Message {
  line: ConnectedDevice
  sender: User
  stanza: Node
  chat: Jid.Jid
}

/** One device's copy: the attributes that place it in the device's view of the chat, and the ciphertext. */
interface Copy {
  device: DeviceAddress
  attrs: Record<string, string | number | undefined>
  content: Node[]
}

/** A device sends a message: it is queued for every device it was encrypted for, then acknowledged. */
export function message(network: Network, line: ConnectedDevice, stanza: Node) {
  const chat = Jid.parse(stanza.attrs.to)
  const sender = network.directory.user(line.device.user)
  if (!stanza.attrs.id || !chat || !sender) {
    network.log.note(deviceName(line.device), "message without id or recipient")
    return
  }
  if (chat.server === "newsletter") return toNewsletter(network, line, stanza)
  for (const used of network.usedKeys.again(deviceName(line.device), stanza))
    network.log.note(deviceName(line.device), "key used twice", { id: stanza.attrs.id, key: used })
  const sent = { line, sender, stanza, chat }
  const error = refused(network, sent)
  if (error === undefined) {
    const copies = chat.server === "g.us" ? toGroup(network, sent) : toPeople(network, sent)
    const vouched = verifiedNameNodes(network, sender)
    network.store.atomically(() => {
      for (const { device, attrs, content } of copies) {
        const given = device.user === sender.pn ? content : withoutKey(content)
        const shown = placeholder(network, device, stanza) ?? spoilt(network, device, given) ?? given
        const tag = tagFor(network, stanza, device)
        sendToDevice(network, device, el(tag, { ...common(sent), ...attrs }, [...vouched, ...shown]))
      }
    })
    revealInTime(
      network,
      stanza,
      copies.map(({ device }) => device),
    )
  }
  acknowledge(network, line, stanza, error)
}

function tagFor({ faults }: Network, { attrs }: Node, device: DeviceAddress): "status" | "message" {
  if (attrs.to !== "status@broadcast") return "message"
  return faults.strike("status_as_message", deviceName(device)) ? "message" : "status"
}

/** A newsletter's messages are not encrypted, and the network numbers them. */
function toNewsletter(network: Network, line: ConnectedDevice, stanza: Node) {
  const { id, to } = stanza.attrs
  const plaintext = bytes(child(stanza, "plaintext"))
  const reaction = child(stanza, "reaction")
  const serverId = reaction
    ? react(network, line, stanza, reaction.attrs.code)
    : plaintext && publish(network, line, stanza, plaintext)
  const refusal = plaintext || reaction ? nack.forbidden : nack.invalid
  const error = serverId === undefined ? refusal : undefined
  line.send(el("ack", { class: "message", id, from: to, t: now(), server_id: serverId, error }))
}

/** The placeholder that a device gets in place of the message, if a fault says so. */
function placeholder({ faults }: Network, device: DeviceAddress, { attrs }: Node): Node[] | undefined {
  if (attrs.category === "peer") return undefined
  if (faults.strike("unavailable", deviceName(device))) return [el("unavailable")]
  return faults.strike("view_once", deviceName(device)) && [el("unavailable", { type: "view_once" })]
}

/** The garbage that a device gets in place of each ciphertext, if a fault says so. */
function spoilt({ faults }: Network, device: DeviceAddress, content: Node[]): Node[] | undefined {
  const isAgain = content.some(({ tag, attrs }) => tag === "enc" && attrs.count !== undefined)
  if (!faults.strike(isAgain ? "unreadable_again" : "unreadable", deviceName(device))) return undefined
  return content.map((part) => (part.tag === "enc" ? { ...part, content: garbage() } : part))
}

/** The first byte says version 3; otherwise a client would not even try to decrypt it. */
function garbage(): Buffer {
  return Buffer.concat([Buffer.of(0x33), randomBytes(spoiltSize - 1)])
}

/** The code of the nack, when the message is not taken. */
function refused(network: Network, { line, sender, stanza, chat }: Message): number | undefined {
  const fault = network.faults.strike("nack", deviceName(line.device))
  if (fault) return fault.code
  if (!isWellBuilt(stanza)) return nack.invalid
  if (namesStranger(network, line, stanza)) return nack.unknownRecipient
  if (chat.server === "g.us") {
    const group = network.groups.find(chat)
    if (!group) return nack.unknownRecipient
    if (group.isCommunity) return nack.forbidden
    const isForAdmins = group.announcement || stanza.attrs.edit === adminRevokes
    const allowed = isForAdmins ? isAdmin(group, sender.pn) : roleOf(group, sender.pn)
    return allowed ? undefined : nack.forbidden
  }
  if (stanza.attrs.edit === adminRevokes) return nack.forbidden
  if (chat.server === "broadcast") return undefined
  if (!Jid.isPerson(chat)) return nack.invalid
  const peer = network.directory.find(chat)
  if (!peer) return nack.unknownRecipient
  if (!isAddressedWell(network, sender, chat, stanza)) return nack.addressing
  if (isByNumber(chat, stanza) && network.profiles.get(sender.pn).notByNumber) return nack.restricted
  return mayWrite(network, sender, peer, stanza) ? undefined : nack.restricted
}

/** The kinds of ciphertexts. */
const kinds = new Set(["msg", "pkmsg", "skmsg", "msmsg"])

/**
 * Whether a message has what each client sends (Baileys, whatsmeow, whatsapp-rust, zapo): its type, and
 * ciphertexts with their version and kind. A message for the account's own device alone has no token
 * (Baileys: 479).
 */
function isWellBuilt(stanza: Node): boolean {
  const participants = children(child(stanza, "participants"))
  const own = participants.flatMap((to) => children(to))
  const sealed = [...own, ...children(stanza)].filter(({ tag }) => tag === "enc")
  if (!stanza.attrs.type || sealed.length === 0 || participants.some(({ attrs }) => !attrs.jid)) return false
  if (stanza.attrs.category === "peer" && child(stanza, "tctoken")) return false
  return sealed.every((enc) => enc.attrs.v === "2" && kinds.has(enc.attrs.type ?? "") && bytes(enc)?.length)
}

/**
 * Whether a chat and all its devices are named in the same way, and by private id only once the account was
 * moved to private ids.
 */
function isAddressedWell(network: Network, sender: User, chat: Jid.Jid, stanza: Node): boolean {
  if (stanza.attrs.category === "peer") return true
  if (chat.server === "lid" && network.profiles.get(sender.pn).byNumber) return false
  return recipients(stanza).every(({ jid }) => Jid.parse(jid)?.server === chat.server)
}

function isByNumber(chat: Jid.Jid, stanza: Node): boolean {
  return chat.server !== "lid" && stanza.attrs.category !== "peer"
}

/** A restricted account reaches only people whose token it shows, and people who have written to it. */
function mayWrite(network: Network, sender: User, peer: User, stanza: Node): boolean {
  if (peer === sender || !network.profiles.get(sender.pn).restricted) return true
  const token = network.profiles.get(peer.pn).tokens[sender.pn]
  const shown = bytes(child(stanza, "tctoken"))
  if (token && shown?.equals(token)) return true
  const chats = network.phones.get(sender.pn)?.handset.inbox.after(0) ?? []
  return chats.some(({ from }) => from === peer.pn)
}

function common({ sender, stanza }: Message) {
  const { id, type, edit, category, push_priority } = stanza.attrs
  return { id, type, t: now(), notify: sender.name, edit, category, push_priority }
}

/**
 * The copies of a message to a person or a broadcast list, or of a status: one for each device that it was
 * encrypted for.
 */
function toPeople(network: Network, sent: Message): Copy[] {
  const { line, stanza, chat } = sent
  const broadcast = chat.server === "broadcast"
  const many = broadcast && child(stanza, "participants")
  const shared = many ? children(stanza).filter(({ tag }) => tag === "enc") : []
  return recipients(stanza).flatMap(({ jid, enc }) => {
    const address = Jid.parse(jid)
    const device = findDevice(network, address)
    if (!device || !address) {
      network.log.note(deviceName(line.device), "for no device", { jid })
      return []
    }
    // People who have blocked the sender are sent nothing. The sender does not notice.
    if (network.profiles.get(device.user).blocked.includes(sent.sender.pn)) return []
    const mode = modeOf(address)
    const attrs = broadcast ? inBroadcast(network, sent, mode) : inChat(network, sent, device, mode)
    return [{ device, attrs, content: contents(stanza, [...enc, ...shared]) }]
  })
}

/**
 * Each device that a stanza is for, with its own ciphertext: several devices as participants, or the one that
 * it is addressed to.
 */
function recipients(stanza: Node): { jid: string | undefined; enc: Node[] }[] {
  const participants = child(stanza, "participants")
  if (participants) return children(participants).map((to) => ({ jid: to.attrs.jid, enc: children(to) }))
  const enc = children(stanza).filter(({ tag }) => tag === "enc")
  return [{ jid: stanza.attrs.participant ?? stanza.attrs.to, enc }]
}

function inChat(network: Network, { line, sender, stanza, chat }: Message, to: DeviceAddress, mode: Mode) {
  if (to.user !== sender.pn)
    return toOther(network, sender, line.device.id, shownMode(network, to.user, mode))
  const from = inMode(mode, sender, line.device.id)
  // For another device of the sender's account: the chat is `recipient`, unless the device itself is meant.
  const recipient = Jid.parse(stanza.attrs.recipient) ?? chat
  const peer = network.directory.find(recipient)
  const itself = stanza.attrs.category === "peer" || (peer === sender && !child(stanza, "participants"))
  if (!peer || itself) return { from, addressing_mode: mode }
  return {
    from,
    recipient: inMode(modeOf(recipient), peer),
    // As the sender's device says: the network adds nothing (whatsmeow 1009).
    ...Object.fromEntries(
      Object.entries(stanza.attrs).filter(([name]) => name.startsWith("peer_recipient_")),
    ),
    addressing_mode: mode,
  }
}

function toOther(network: Network, sender: User, device: number, mode: Mode) {
  const names = alsoKnownAs(network, sender, { mode, prefix: "sender" })
  return { from: inMode(mode, sender, device), ...names, addressing_mode: mode }
}

function inBroadcast(network: Network, { line, sender, stanza }: Message, mode: Mode) {
  return {
    from: stanza.attrs.to,
    participant: inMode(mode, sender, line.device.id),
    ...alsoKnownAs(network, sender, { mode, prefix: "participant" }),
    addressing_mode: mode,
  }
}

/**
 * The copies of a group's message: for every device of every member the sender key's ciphertext, and the key
 * itself for those that get it now.
 */
function toGroup(network: Network, { line, sender, stanza, chat }: Message): Copy[] {
  const group = network.groups.find(chat)
  if (!group) return []
  const attrs = inGroup(network, group, sender, line.device.id)
  const shared = children(stanza).filter(({ tag }) => tag === "enc")
  const only = findDevice(network, Jid.parse(stanza.attrs.participant))
  // A former member gets nothing, not even a message that they ask for again.
  if (only)
    return roleOf(group, only.user) ? [{ device: only, attrs, content: contents(stanza, shared) }] : []
  const own = new Map(
    recipients(stanza).flatMap(({ jid, enc }) => {
      const device = findDevice(network, Jid.parse(jid))
      return device && child(stanza, "participants") ? [[deviceName(device), enc] as const] : []
    }),
  )
  return group.members
    .flatMap(({ pn }) => devicesOf(network, pn, line.device))
    .map((device) => ({
      device,
      attrs,
      content: contents(stanza, [...(own.get(deviceName(device)) ?? []), ...shared]),
    }))
}

function inGroup(network: Network, group: Group, sender: User, device: number) {
  const names = alsoKnownAs(network, sender, { mode: group.mode, prefix: "participant" })
  if (hidesNumberIn(network, group, sender.pn)) delete names.participant_pn
  return {
    from: jidOf(group),
    participant: inMode(group.mode, sender, device),
    ...names,
    addressing_mode: group.mode,
  }
}

/** The ciphertext and its marks. A companion's identity is needed only to start a session. */
function contents(stanza: Node, enc: Node[]): Node[] {
  const starts = enc.some(({ attrs }) => attrs.type === "pkmsg")
  const rest = children(stanza).filter(({ tag }) => carried.has(tag) || (starts && tag === "device-identity"))
  return [...enc, ...rest]
}

/**
 * The hash of a chat's devices, the sender's among them. A group's hash is always given, for the sender to
 * compare. A person's is given only if the message is not for all of these devices: WhatsApp Web takes every
 * hash in such an ack for news.
 */
function devicesIn(network: Network, line: ConnectedDevice, stanza: Node): string | undefined {
  const { attrs } = stanza
  const chat = Jid.parse(attrs.to)
  const sender = network.directory.user(line.device.user)
  const group = network.groups.find(chat)
  const peer = network.directory.find(chat)
  // A message to one device, or to a list that only its sender knows, has no such hash.
  if (!chat || !sender || attrs.participant || chat.device > 0 || attrs.category === "peer") return undefined
  if (attrs.device_fanout === "false" || (!group && !peer)) return undefined
  const numbers = group ? group.members.map(({ pn }) => pn) : [sender.pn, peer?.pn ?? sender.pn]
  const devices = [...new Set(numbers)].flatMap((pn) => {
    const user = network.directory.user(pn)
    return user ? devicesOf(network, pn).map((device): [User, DeviceAddress] => [user, device]) : []
  })
  const isForAll = !group && isForThese(network, line, stanza, devices)
  return isForAll ? undefined : deviceHash(group?.mode ?? modeOf(chat), devices)
}

/** Whether the message is for these devices and no others. Its sender's own is not written to. */
function isForThese(
  network: Network,
  line: ConnectedDevice,
  stanza: Node,
  devices: [User, DeviceAddress][],
): boolean {
  const named = recipients(stanza).map(({ jid }) => findDevice(network, Jid.parse(jid)))
  const reached = new Set([line.device, ...named].map((device) => device && deviceName(device)))
  return reached.size === devices.length && devices.every(([, device]) => reached.has(deviceName(device)))
}

/**
 * Whether this is a private id that its owner no longer has (whatsapp-rust, `maybe_refresh_lid_from_ack`).
 */
function isFormer(network: Network, to: string | undefined): boolean {
  const jid = Jid.parse(to)
  const user = jid?.server === "lid" ? network.directory.find(jid) : undefined
  return user !== undefined && user.lid !== jid?.user
}

function acknowledge(network: Network, line: ConnectedDevice, stanza: Node, error: number | undefined) {
  const { id, to, participant } = stanza.attrs
  const { faults } = network
  const device = deviceName(line.device)
  const phash = error === undefined && line.device.id !== 0 ? devicesIn(network, line, stanza) : undefined
  const refresh_lid = isFormer(network, to) ? "true" : undefined
  const answer = el("ack", {
    class: "message",
    id,
    from: to,
    participant,
    t: now(),
    error,
    phash,
    refresh_lid,
  })
  if (faults.strike("lose_acks", device)) return
  const hold = faults.strike("hold_acks", device)
  if (hold) faults.hold(hold, line, answer)
  else line.send(answer)
}
