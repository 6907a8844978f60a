import { randomBytes } from "node:crypto"
import { proto, writeRandomPadMax16 } from "@whiskeysockets/baileys"
import { now } from "../clock.ts"
import { alsoKnownAs, findDevice, inMode, shownMode } from "../network/addressing.ts"
import { type DeviceAddress, deviceName, type User } from "../network/directory.ts"
import type { Group } from "../network/groups.ts"
import { devicesOf } from "../network/notify.ts"
import * as Jid from "../wire/jid.ts"
import { bytes, child, children, el, type Node, uint } from "../wire/node.ts"
import { described } from "./content/describe.ts"
import { stanzaAttributesOf } from "./content/stanza-attributes.ts"
import type { Handset } from "./handset.ts"
import { chatOf, fromRow, jidOfTarget, type Target, toRow } from "./target.ts"

/** The content of a send: a message, or any bytes in its place, to see what others make of them. */
export type WrittenContent = proto.IMessage | Buffer

export interface Sending {
  target: Target
  content: WrittenContent
  id: string
  /** Beside the marks that every message of its kind has. */
  meta?: Node[] | undefined
}

export function newId() {
  return `3A${randomBytes(9).toString("hex").toUpperCase()}`
}

/** Sends a message to every device it is for, those of its own account included. */
export async function send(handset: Handset, { content, id, meta, ...wanted }: Sending) {
  const target = asAddressed(handset, wanted.target)
  const written = await stanzaOf(handset, { target, content, id })
  const stanza = { ...written, content: [...children(written), ...(meta ?? [])] }
  handset.network.store.atomically(() => {
    const raw = Buffer.isBuffer(content)
    handset.keys.put("sent", id, { target: toRow(target), content: encoded(content), raw })
    handset.inbox.add({
      id,
      chat: chatOf(target),
      from: handset.own.user,
      from_device: handset.own.id,
      from_me: true,
      timestamp: now(),
      offline: false,
      ...described(content),
    })
    handset.keys.commit()
    handset.submit(stanza)
  })
  handset.inbox.announce()
}

/** A person is written to by number until the account was moved to private ids. */
function asAddressed(handset: Handset, target: Target): Target {
  return "user" in target
    ? { ...target, mode: shownMode(handset.network, handset.own.user, target.mode) }
    : target
}

/** Sends a message for one companion of the account alone. */
export async function sendPeerMessage(handset: Handset, to: DeviceAddress, content: proto.IMessage) {
  const id = newId()
  const enc = await sealed(handset, to, content)
  const target = toRow({ user: handset.user(), mode: "pn" })
  handset.network.store.atomically(() => {
    handset.keys.put("sent", id, { target, content: encoded(content), peer: true })
    handset.keys.commit()
    handset.submit(el("message", { id, ...peerAttrs(handset, to) }, [enc]))
  })
}

function peerAttrs(handset: Handset, to: DeviceAddress) {
  const jid = inMode("pn", handset.user(), to.id)
  return { to: jid, type: "text", category: "peer", push_priority: "high" }
}

/** Sends a message of ours once more to the one device that could not read it. */
export async function resend(handset: Handset, receipt: Node) {
  const { id = "", participant, from } = receipt.attrs
  const jid = participant ?? from
  const device = findDevice(handset.network, Jid.parse(jid))
  const sent = handset.keys.get("sent", id)
  const target = sent && fromRow(handset.network, sent.target)
  if (!device || !sent || !target) return
  const content = sent.raw ? Buffer.from(sent.content) : proto.Message.decode(sent.content)
  await startSession(handset, device, bundleIn(receipt))
  const own = device.user === handset.own.user
  const copy = own ? copyOf(target, content) : await withKey(handset, target, content)
  const enc = await sealed(handset, device, sent.peer ? content : copy)
  enc.attrs.count = child(receipt, "retry")?.attrs.count ?? "1"
  const group = "user" in target ? undefined : jidOfTarget(target)
  const attrs = sent.peer
    ? { id, ...peerAttrs(handset, device) }
    : {
        id,
        to: group ?? jid,
        participant: group && jid,
        recipient: own && !group ? jidOfTarget(target) : undefined,
        ...stanzaAttributesOf(content).attrs,
      }
  handset.network.store.atomically(() => {
    handset.keys.commit()
    handset.submit(el("message", attrs, [enc]))
  })
}

function stanzaOf(handset: Handset, sending: Sending): Promise<Node> {
  const { target } = sending
  if ("user" in target) return toPerson(handset, sending, target)
  return "list" in target ? toList(handset, sending, target) : toMany(handset, sending, target)
}

/** A message to a broadcast list: for each device under its own session. */
async function toList(handset: Handset, { content, id }: Sending, target: Extract<Target, { list: string }>) {
  const { attrs, extra, meta } = stanzaAttributesOf(content)
  const participants: Node[] = []
  for (const device of devicesOfAll(handset, [...target.people, handset.user()])) {
    const owner = handset.network.directory.user(device.user)
    if (!owner) continue
    const enc = await sealed(handset, device, owner === handset.user() ? copyOf(target, content) : content)
    Object.assign(enc.attrs, extra)
    participants.push(el("to", { jid: inMode("lid", owner, device.id) }, [enc]))
  }
  return el("message", { id, to: target.list, ...attrs }, [el("participants", {}, participants), ...meta])
}

async function toPerson(handset: Handset, { content, id }: Sending, target: Extract<Target, { user: User }>) {
  const { user, mode } = target
  const { attrs, extra, meta } = stanzaAttributesOf(content)
  const participants: Node[] = []
  for (const device of devicesOfAll(handset, [user, handset.user()])) {
    const own = device.user === handset.own.user
    const enc = await sealed(
      handset,
      device,
      own && user !== handset.user() ? copyOf(target, content) : content,
    )
    Object.assign(enc.attrs, extra)
    participants.push(el("to", { jid: inMode(mode, own ? handset.user() : user, device.id) }, [enc]))
  }
  const otherName = alsoKnownAs(handset.network, user, { mode, prefix: "peer_recipient" })
  return el("message", { id, to: inMode(mode, user), ...otherName, ...attrs }, [
    el("participants", {}, participants),
    ...meta,
  ])
}

/** Targets for which a message is encrypted once for all. */
type Shared = { group: Group } | { status: User[] }

/**
 * A message to a group, or a status: encrypted once under our sender key. In a group the key goes along for
 * devices that do not have it, with a status for all.
 */
async function toMany(handset: Handset, { content, id }: Sending, target: Shared) {
  const chat = jidOfTarget(target)
  const mode = "group" in target ? target.group.mode : "lid"
  const people = peopleOf(handset, target)
  const devices = devicesOfAll(handset, people)
  const { attrs, extra, meta } = stanzaAttributesOf(content)
  forgetIfLeft(handset, chat, people)
  const distribution = await handset.groupSignal.distribution(chat, handset.own)
  const body = await handset.groupSignal.encrypt(chat, handset.own, padded(content))
  const having = new Set(handset.keys.get("sender-key-given", chat))
  const participants: Node[] = []
  for (const device of devices) {
    if (having.has(deviceName(device)) && "group" in target) continue
    const owner = handset.network.directory.user(device.user)
    const enc = await sealed(handset, device, distributionOf(chat, distribution))
    if (owner) participants.push(el("to", { jid: inMode(mode, owner, device.id) }, [enc]))
    having.add(deviceName(device))
  }
  handset.keys.put("sender-key-given", chat, [...having])
  return el("message", { id, to: chat, ...attrs }, [
    ...(participants.length > 0 ? [el("participants", {}, participants)] : []),
    el("enc", { v: "2", type: "skmsg", ...extra }, body),
    ...meta,
  ])
}

/** Throws the sender key away once a member has left the group, since former members must not read on. */
function forgetIfLeft(handset: Handset, chat: string, people: User[]) {
  const having = handset.keys.get("sender-key-given", chat) ?? []
  const members = new Set(people.map(({ pn }) => pn))
  if (having.every((device) => members.has(device.split(":")[0] ?? ""))) return
  handset.groupSignal.forget(chat, handset.own)
  handset.keys.put("sender-key-given", chat, [])
}

function distributionOf(groupId: string, distribution: Buffer): proto.IMessage {
  return {
    senderKeyDistributionMessage: { groupId, axolotlSenderKeyDistributionMessage: distribution },
  }
}

/** A group's message for one device that lacks the sender key, with that key. */
async function withKey(handset: Handset, target: Target, content: WrittenContent): Promise<WrittenContent> {
  if ("user" in target || "list" in target || Buffer.isBuffer(content)) return content
  const chat = jidOfTarget(target)
  return { ...content, ...distributionOf(chat, await handset.groupSignal.distribution(chat, handset.own)) }
}

/** The copy for one's other devices: the message, and the chat that it was sent to. */
function copyOf(target: Target, message: WrittenContent): WrittenContent {
  return Buffer.isBuffer(message)
    ? message
    : { deviceSentMessage: { destinationJid: jidOfTarget(target), message } }
}

function peopleOf(handset: Handset, target: Shared): User[] {
  if ("status" in target) return [...target.status, handset.user()]
  return target.group.members.flatMap(({ pn }) => handset.network.directory.user(pn) ?? [])
}

/** Every device of these people but the phone itself. */
function devicesOfAll(handset: Handset, people: User[]): DeviceAddress[] {
  return [...new Set(people)].flatMap(({ pn }) => devicesOf(handset.network, pn, handset.own))
}

function encoded(message: WrittenContent): Uint8Array {
  return Buffer.isBuffer(message) ? message : proto.Message.encode(message).finish()
}

const padded = (message: WrittenContent) => Buffer.from(writeRandomPadMax16(encoded(message)))

async function sealed(handset: Handset, device: DeviceAddress, message: WrittenContent): Promise<Node> {
  if (!handset.signal.has(device)) await startSession(handset, device)
  const { type, body } = await handset.signal.encrypt(device, padded(message))
  return el("enc", { v: "2", type }, body)
}

/** A device's keys, as the network answers them, or as a retry receipt brings them. */
interface Bundle {
  registration: Node | undefined
  keys: Node | undefined
}

/** The keys that a device sends when it asks a second time. */
function bundleIn(receipt: Node): Bundle | undefined {
  const keys = child(receipt, "keys")
  return keys && { registration: child(receipt, "registration"), keys }
}

/**
 * Starts another session with a device, under a fresh base key: from the given keys, or those that the
 * network has.
 */
export async function startSession(handset: Handset, device: DeviceAddress, given?: Bundle) {
  const bundle = given ?? askForBundle(handset, device)
  if (!bundle) return
  const { registration, keys } = bundle
  const skey = child(keys, "skey")
  const preKey = child(keys, "key")
  const id = uint(child(preKey, "id"))
  await handset.signal.start(device, {
    registrationId: uint(registration) ?? 0,
    identityKey: typed(bytes(child(keys, "identity"))),
    signedPreKey: {
      keyId: uint(child(skey, "id")) ?? 0,
      publicKey: typed(bytes(child(skey, "value"))),
      signature: bytes(child(skey, "signature")) ?? Buffer.alloc(0),
    },
    ...(id !== undefined && { preKey: { keyId: id, publicKey: typed(bytes(child(preKey, "value"))) } }),
  })
}

function askForBundle(handset: Handset, device: DeviceAddress): Bundle | undefined {
  const user = handset.network.directory.user(device.user)
  if (!user) return undefined
  const jid = inMode("lid", user, device.id)
  const reply = handset.ask("encrypt", "get", [el("key", {}, [el("user", { jid })])])
  const keys = child(child(reply, "list"), "user")
  return { registration: child(keys, "registration"), keys }
}

function typed(publicKey: Buffer | undefined) {
  return Buffer.concat([Buffer.from([5]), publicKey ?? Buffer.alloc(0)])
}
