import { inMode, modeOf } from "../network/addressing.ts"
import { deliver } from "../network/delivery.ts"
import { type Address, key } from "../network/directory.ts"
import type { Line } from "../network/line.ts"
import { type Network, now } from "../network/network.ts"
import * as Jid from "../wire/jid.ts"
import { child, children, el, type Node } from "../wire/node.ts"

/** A device has messages, or read, played or could not decrypt them. Settles them and tells the sender. */
export function receipt(network: Network, line: Line, stanza: Node) {
  const { id, to, type, participant } = stanza.attrs
  if (!id) return
  if (network.faults.strike("cut_before_receipt", key(line.device))) return line.cut()
  network.store.atomically(() => {
    // Who asks for a message once more has not got it; its ack, which follows, settles that copy.
    for (const one of type === "retry" ? [] : idsOf(stanza))
      network.queue.settle(line.device, { tag: "message", id: one, from: to, sent: line.sent })
    for (const [device, copy] of told(network, line, stanza)) deliver(network, device, copy)
  })
  if (network.faults.strike("cut_after_receipt", key(line.device))) return line.cut()
  line.send(el("ack", { class: "receipt", id, from: to, type, participant, t: now() }))
}

/** The first id is the receipt's own, the others are listed. */
function idsOf(stanza: Node): string[] {
  const listed = children(child(stanza, "list")).map(({ attrs }) => attrs.id)
  return [stanza.attrs.id, ...listed].filter((id) => id !== undefined)
}

/** Who hears of it, with what each is told. */
function told(network: Network, line: Line, stanza: Node): [Address, Node][] {
  const { id, type, to } = stanza.attrs
  const me = network.directory.user(line.device.user)
  const chat = Jid.parse(to)
  const peer = network.directory.find(chat)
  if (!me || !peer || !chat) return []
  const mode = modeOf(chat)
  const from = inMode(mode, me, line.device.id)
  const content = children(stanza)
  const copy = (attrs: Record<string, string | undefined>) =>
    el("receipt", { id, from, t: now(), ...attrs }, content.length > 0 ? content : undefined)
  const others = (pn: string) =>
    network.directory.devices(pn).filter((device) => key(addressOf(device)) !== key(line.device))

  if (type === "retry")
    return [[{ user: peer.pn, id: chat.device }, copy({ type, recipient: stanza.attrs.recipient })]]
  // Between one's own devices: the phone hears of what it sent to a companion, and the other way round.
  if (peer === me)
    return [[{ user: me.pn, id: chat.device }, copy({ type, recipient: stanza.attrs.recipient })]]
  if (type === "read-self")
    return others(me.pn).map((device) => [addressOf(device), copy({ type, recipient: inMode(mode, peer) })])
  const toPeer = others(peer.pn).map((device): [Address, Node] => [
    addressOf(device),
    // "inactive" says that nobody looks; to the sender it is delivered.
    copy({ type: type === "inactive" ? undefined : type }),
  ])
  const toOwn = others(me.pn).map((device): [Address, Node] => [
    addressOf(device),
    copy({ type: "read-self", recipient: inMode(mode, peer) }),
  ])
  return type === "read" ? [...toPeer, ...toOwn] : toPeer
}

const addressOf = (device: { user: string; id: number }): Address => ({ user: device.user, id: device.id })
