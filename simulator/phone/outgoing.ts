import { randomBytes } from "node:crypto"
import { proto, writeRandomPadMax16 } from "@whiskeysockets/baileys"
import { deviceAt, inMode, shownMode } from "../network/addressing.ts"
import { type Address, key, type User } from "../network/directory.ts"
import type { Group } from "../network/groups.ts"
import { now } from "../clock.ts"
import { devicesOf } from "../network/notify.ts"
import * as Jid from "../wire/jid.ts"
import { bytes, child, el, type Node, uint } from "../wire/node.ts"
import type { Desk } from "./desk.ts"
import { described } from "./described.ts"
import { envelopeOf } from "./envelope.ts"
import { chatOf, fromRow, jidOfTarget, type Target, toRow } from "./target.ts"

/** What is sent: a message, or, to see what others make of it, any bytes in its place. */
export type Written = proto.IMessage | Buffer

export interface Sending {
  target: Target
  content: Written
  id: string
}

export function newId() {
  return `3A${randomBytes(9).toString("hex").toUpperCase()}`
}

/** Sends a message to every device it is for, those of its own account included. */
export async function send(desk: Desk, { content, id, ...wanted }: Sending) {
  const target = asAddressed(desk, wanted.target)
  const stanza = await stanzaOf(desk, { target, content, id })
  desk.network.store.atomically(() => {
    const raw = Buffer.isBuffer(content)
    desk.keys.put("sent", id, { target: toRow(target), content: encoded(content), raw })
    desk.inbox.add({
      id,
      chat: chatOf(target),
      from: desk.own.user,
      from_device: desk.own.id,
      from_me: true,
      timestamp: now(),
      offline: false,
      ...described(content),
    })
    desk.keys.commit()
    desk.submit(stanza)
  })
  desk.inbox.announce()
}

/** A person is written to by number until the account was moved to private ids. */
function asAddressed(desk: Desk, target: Target): Target {
  return "user" in target ? { ...target, mode: shownMode(desk.network, desk.own.user, target.mode) } : target
}

/** Sends what only a companion of the account is told. */
export async function sendPeer(desk: Desk, to: Address, content: proto.IMessage) {
  const jid = inMode("pn", desk.user(), to.id)
  const attrs = { id: newId(), to: jid, type: "text", category: "peer", push_priority: "high" }
  const enc = await sealed(desk, to, content)
  desk.network.store.atomically(() => {
    desk.keys.commit()
    desk.submit(el("message", attrs, [enc]))
  })
}

/** Sends a message of ours once more to the one device that could not read it. */
export async function resend(desk: Desk, receipt: Node) {
  const { id = "", participant, from } = receipt.attrs
  const jid = participant ?? from
  const device = deviceAt(desk.network, Jid.parse(jid))
  const sent = desk.keys.get("sent", id)
  const target = sent && fromRow(desk.network, sent.target)
  if (!device || !sent || !target) return
  const content = sent.raw ? Buffer.from(sent.content) : proto.Message.decode(sent.content)
  await startSession(desk, device)
  const own = device.user === desk.own.user
  const enc = await sealed(desk, device, own ? copyOf(target, content) : await withKey(desk, target, content))
  enc.attrs.count = child(receipt, "retry")?.attrs.count ?? "1"
  const group = "user" in target ? undefined : jidOfTarget(target)
  const attrs = {
    id,
    to: group ?? jid,
    participant: group && jid,
    recipient: own && !group ? jidOfTarget(target) : undefined,
    ...envelopeOf(content).attrs,
  }
  desk.network.store.atomically(() => {
    desk.keys.commit()
    desk.submit(el("message", attrs, [enc]))
  })
}

function stanzaOf(desk: Desk, sending: Sending): Promise<Node> {
  const { target } = sending
  if ("user" in target) return toPerson(desk, sending, target)
  return "list" in target ? toList(desk, sending, target) : toMany(desk, sending, target)
}

/** To each of a broadcast list under its own session. */
async function toList(desk: Desk, { content, id }: Sending, target: Extract<Target, { list: string }>) {
  const { attrs, extra, meta } = envelopeOf(content)
  const participants: Node[] = []
  for (const device of devicesOfAll(desk, [...target.people, desk.user()])) {
    const owner = desk.network.directory.user(device.user)
    if (!owner) continue
    const enc = await sealed(desk, device, owner === desk.user() ? copyOf(target, content) : content)
    Object.assign(enc.attrs, extra)
    participants.push(el("to", { jid: inMode("lid", owner, device.id) }, [enc]))
  }
  return el("message", { id, to: target.list, ...attrs }, [el("participants", {}, participants), ...meta])
}

async function toPerson(desk: Desk, { content, id }: Sending, target: Extract<Target, { user: User }>) {
  const { user, mode } = target
  const { attrs, extra, meta } = envelopeOf(content)
  const participants: Node[] = []
  for (const device of devicesOfAll(desk, [user, desk.user()])) {
    const own = device.user === desk.own.user
    const enc = await sealed(desk, device, own && user !== desk.user() ? copyOf(target, content) : content)
    Object.assign(enc.attrs, extra)
    participants.push(el("to", { jid: inMode(mode, own ? desk.user() : user, device.id) }, [enc]))
  }
  return el("message", { id, to: inMode(mode, user), ...attrs }, [
    el("participants", {}, participants),
    ...meta,
  ])
}

/** What is encrypted once for all. */
type Shared = { group: Group } | { status: User[] }

/** To a group or as a status: once under our sender key, which those get who have not got it. */
async function toMany(desk: Desk, { content, id }: Sending, target: Shared) {
  const chat = jidOfTarget(target)
  const mode = "group" in target ? target.group.mode : "lid"
  const people = peopleOf(desk, target)
  const devices = devicesOfAll(desk, people)
  const { attrs, extra, meta } = envelopeOf(content)
  forgetIfLeft(desk, chat, people)
  const distribution = await desk.groupSignal.distribution(chat, desk.own)
  const body = await desk.groupSignal.encrypt(chat, desk.own, padded(content))
  const told = new Set(desk.keys.get("sender-key-given", chat))
  const participants: Node[] = []
  for (const device of devices) {
    if (told.has(key(device)) && "group" in target) continue
    const owner = desk.network.directory.user(device.user)
    const enc = await sealed(desk, device, distributionOf(chat, distribution))
    if (owner) participants.push(el("to", { jid: inMode(mode, owner, device.id) }, [enc]))
    told.add(key(device))
  }
  desk.keys.put("sender-key-given", chat, [...told])
  return el("message", { id, to: chat, ...attrs }, [
    ...(participants.length > 0 ? [el("participants", {}, participants)] : []),
    el("enc", { v: "2", type: "skmsg", ...extra }, body),
    ...meta,
  ])
}

/** Who has left a group must not read on: everyone gets a new key. */
function forgetIfLeft(desk: Desk, chat: string, people: User[]) {
  const told = desk.keys.get("sender-key-given", chat) ?? []
  const members = new Set(people.map(({ pn }) => pn))
  if (told.every((device) => members.has(device.split(":")[0] ?? ""))) return
  desk.groupSignal.forget(chat, desk.own)
  desk.keys.put("sender-key-given", chat, [])
}

function distributionOf(groupId: string, distribution: Buffer): proto.IMessage {
  return {
    senderKeyDistributionMessage: { groupId, axolotlSenderKeyDistributionMessage: distribution },
  }
}

/** A group's message for one device, with the sender key it lacks. */
async function withKey(desk: Desk, target: Target, content: Written): Promise<Written> {
  if ("user" in target || "list" in target || Buffer.isBuffer(content)) return content
  const chat = jidOfTarget(target)
  return { ...content, ...distributionOf(chat, await desk.groupSignal.distribution(chat, desk.own)) }
}

/** What one's other devices get: the message, and in which chat it was sent. */
function copyOf(target: Target, message: Written): Written {
  return Buffer.isBuffer(message)
    ? message
    : { deviceSentMessage: { destinationJid: jidOfTarget(target), message } }
}

function peopleOf(desk: Desk, target: Shared): User[] {
  if ("status" in target) return [...target.status, desk.user()]
  return target.group.members.flatMap(({ pn }) => desk.network.directory.user(pn) ?? [])
}

/** Every device of these people but the phone itself. */
function devicesOfAll(desk: Desk, people: User[]): Address[] {
  return [...new Set(people)].flatMap(({ pn }) => devicesOf(desk.network, pn, desk.own))
}

function encoded(message: Written): Uint8Array {
  return Buffer.isBuffer(message) ? message : proto.Message.encode(message).finish()
}

const padded = (message: Written) => Buffer.from(writeRandomPadMax16(encoded(message)))

async function sealed(desk: Desk, device: Address, message: Written): Promise<Node> {
  if (!desk.signal.has(device)) await startSession(desk, device)
  const { type, body } = await desk.signal.encrypt(device, padded(message))
  return el("enc", { v: "2", type }, body)
}

/** Starts another session with a device, under a fresh base key. */
export async function startSession(desk: Desk, device: Address) {
  const user = desk.network.directory.user(device.user)
  if (!user) return
  const jid = inMode("lid", user, device.id)
  const reply = desk.ask("encrypt", "get", [el("key", {}, [el("user", { jid })])])
  const found = child(child(reply, "list"), "user")
  const skey = child(found, "skey")
  const preKey = child(found, "key")
  const id = uint(child(preKey, "id"))
  await desk.signal.start(device, {
    registrationId: uint(child(found, "registration")) ?? 0,
    identityKey: typed(bytes(child(found, "identity"))),
    signedPreKey: {
      keyId: uint(child(skey, "id")) ?? 0,
      publicKey: typed(bytes(child(skey, "value"))),
      signature: bytes(child(skey, "signature")) ?? Buffer.alloc(0),
    },
    ...(id !== undefined && { preKey: { keyId: id, publicKey: typed(bytes(child(preKey, "value"))) } }),
  })
}

function typed(publicKey: Buffer | undefined) {
  return Buffer.concat([Buffer.from([5]), publicKey ?? Buffer.alloc(0)])
}
