import { now } from "../clock.ts"
import { inMode, modeOf, shownMode } from "../network/addressing.ts"
import type { ConnectedDevice } from "../network/connected-device.ts"
import { type DeviceAddress, deviceName, type User } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import { devicesOf } from "../network/notify.ts"
import { sendToDevice, unstick } from "../network/send-to-device.ts"
import * as Jid from "../wire/jid.ts"
import { bytes, child, children, el, type Node } from "../wire/node.ts"
import { noteGivenPreKey } from "./prekeys.ts"

/**
 * A device says that it has messages, or has read, played or not decrypted them. Settles them, and tells
 * their sender.
 */
export function receipt(network: Network, line: ConnectedDevice, stanza: Node) {
  const { id, to, type, participant } = stanza.attrs
  if (!id || !to || !isWhole(stanza))
    return network.log.note(deviceName(line.device), "receipt not whole", { id })
  if (network.faults.strike("cut_before_receipt", deviceName(line.device))) return line.cut()
  const unsettled = network.faults.strike("unsettled", deviceName(line.device)) !== undefined
  network.store.atomically(() => {
    // A device that asks for a message once more has not got it. Its ack, which follows, settles the copy
    // that it could not read, and not one that may have come meanwhile.
    if (type === "retry") {
      line.asked.set(id, line.sent)
      noteGivenPreKey(network, line, stanza)
    }
    for (const one of unsettled || type === "retry" || type === "server-error" ? [] : idsOf(stanza))
      network.queue.settle(line.device, {
        tag: isOfCall(stanza) ? "call" : "message",
        id: one,
        from: to,
        participant,
        sent: line.sent,
      })
    for (const [device, copy] of copiesOf(network, line, stanza)) sendToDevice(network, device, copy)
  })
  if (network.faults.strike("cut_after_receipt", deviceName(line.device))) return line.cut()
  line.send(el("ack", { class: "receipt", id, from: to, type, participant, t: now() }))
  unstick(network, line)
}

/**
 * Whether a receipt has what each client sends (Baileys, whatsmeow, whatsapp-rust, zapo): in a chat of many
 * people the author of the message; and if it asks for the message again, how often, and the device's
 * registration.
 */
function isWhole(stanza: Node): boolean {
  const { to, type, participant } = stanza.attrs
  const { server } = Jid.parse(to) ?? {}
  if ((server === "g.us" || server === "broadcast") && !participant) return false
  if (type !== "retry") return true
  const { count, id, t, v } = child(stanza, "retry")?.attrs ?? {}
  return [count, id, t].every(Boolean) && v === "1" && bytes(child(stanza, "registration"))?.length === 4
}

/**
 * WhatsApp Web answers a call's offer with a receipt that names the call (zapo, `protocol/call.ts`); others
 * with an ack.
 */
const isOfCall = (stanza: Node) => children(stanza).some(({ attrs }) => attrs["call-id"])

/** The device has a stanza, or (`error`) cannot use it; either way it is not sent again. */
export function ack(network: Network, line: ConnectedDevice, stanza: Node) {
  const { class: tag, id, to, error, type, participant, recipient } = stanza.attrs
  if (!tag || !id) return network.log.note(deviceName(line.device), "ack not whole", { id })
  if (network.faults.strike("unsettled", deviceName(line.device))) return
  if (error && to === "status@broadcast" && line.stuckAt !== undefined) return
  network.queue.settle(line.device, {
    tag,
    id,
    from: to,
    participant,
    sent: line.asked.get(id) ?? line.sent,
    acked: { type, recipient },
  })
  line.asked.delete(id)
  unstick(network, line)
}

/** The first id is the receipt's own, the others are listed. */
function idsOf(stanza: Node): string[] {
  const listed = children(child(stanza, "list")).map(({ attrs }) => attrs.id)
  return [stanza.attrs.id, ...listed].filter((id) => id !== undefined)
}

type Copies = [DeviceAddress, Node][]

/** The devices to which a receipt is passed on, each with its stanza. */
function copiesOf(network: Network, line: ConnectedDevice, stanza: Node): Copies {
  const me = network.directory.user(line.device.user)
  const chat = Jid.parse(stanza.attrs.to)
  if (!me || !chat) return []
  if (!Jid.isPerson(chat)) return inGroup(network, line, stanza, me)
  const peer = network.directory.find(chat)
  return peer ? inChat(network, { line, stanza, me, peer, chat }) : []
}

/** A receipt as it is passed on: the same ids, another sender. */
function copyOf(stanza: Node, attrs: Record<string, string | undefined>): Node {
  const content = children(stanza)
  return el("receipt", { id: stanza.attrs.id, t: now(), ...attrs }, content.length > 0 ? content : undefined)
}

interface InChat {
  line: ConnectedDevice
  stanza: Node
  me: User
  peer: User
  chat: Jid.Jid
}

function inChat(network: Network, { line, stanza, me, peer, chat }: InChat): Copies {
  const { type, recipient } = stanza.attrs
  const mode = modeOf(chat)
  const from = inMode(shownMode(network, peer.pn, mode), me, line.device.id)
  // Passed on to one device: the sender's that should send again, or the account's own that sent the message.
  if (type === "retry" || peer === me)
    return [[{ user: peer.pn, id: chat.device }, copyOf(stanza, { from, type, recipient })]]
  const readSelf = copyOf(stanza, { from, type: "read-self", recipient: inMode(mode, peer) })
  const toOwn = devicesOf(network, me.pn, line.device).map((device): Copies[number] => [device, readSelf])
  if (type === "read-self") return toOwn
  const copy = copyOf(stanza, { from, type: shown(type) })
  const toPeer = devicesOf(network, peer.pn, line.device).map((device): Copies[number] => [device, copy])
  return type === "read" ? [...toPeer, ...toOwn] : toPeer
}

/** In a group, or about a status: the author of the message hears who has it. */
function inGroup(network: Network, line: ConnectedDevice, stanza: Node, me: User): Copies {
  const { to, participant, type } = stanza.attrs
  const jid = Jid.parse(participant)
  const author = network.directory.find(jid)
  if (!jid || !author) return []
  const from = inMode(modeOf(jid), me, line.device.id)
  const copy = copyOf(stanza, { from: to, participant: from, type: shown(type) })
  if (type === "retry" || author === me) return [[{ user: author.pn, id: jid.device }, copy]]
  if (type === "read-self") return devicesOf(network, me.pn, line.device).map((device) => [device, copy])
  return devicesOf(network, author.pn, line.device).map((device) => [device, copy])
}

/** "inactive" says that the device is not in use; the sender is told that the message is delivered. */
const shown = (type: string | undefined) => (type === "inactive" ? undefined : type)
