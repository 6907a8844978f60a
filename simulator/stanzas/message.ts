import { deviceAt, inMode, type Mode, modeOf, otherMode } from "../network/addressing.ts"
import { deliver } from "../network/delivery.ts"
import { type Address, key, type User } from "../network/directory.ts"
import type { Line } from "../network/line.ts"
import { type Network, now } from "../network/network.ts"
import * as Jid from "../wire/jid.ts"
import { child, children, el, type Node } from "../wire/node.ts"

/** What of a message is for each recipient's eyes, besides its own ciphertext. */
const carried = new Set(["meta", "biz", "bot"])

/** Nacks of the network. 479: a stanza that is addressed or built wrongly. */
const nack = { unknownRecipient: 404, invalid: 479 }

/** A device sends a message: it is queued for every device it was encrypted for, then acknowledged. */
export function message(network: Network, line: Line, stanza: Node) {
  const { id, to } = stanza.attrs
  const chat = Jid.parse(to)
  if (!id || !to || !chat) {
    network.log.note(key(line.device), "message without id or recipient")
    return
  }
  acknowledge(
    network,
    line,
    stanza,
    refused(network, line, stanza, chat) ?? fanOut(network, line, stanza, chat),
  )
}

/** The code of the nack, when the stanza is not taken. */
function refused(network: Network, line: Line, stanza: Node, chat: Jid.Jid): number | undefined {
  const fault = network.faults.strike("nack", key(line.device))
  if (fault) return fault.code
  if (!Jid.isPerson(chat)) return nack.invalid
  if (!network.directory.find(chat)) return nack.unknownRecipient
  if (!child(stanza, "participants") && !child(stanza, "enc")) return nack.invalid
  return undefined
}

/** Undefined when all went well, else the code of the nack. */
function fanOut(network: Network, line: Line, stanza: Node, chat: Jid.Jid): number | undefined {
  const sender = network.directory.user(line.device.user)
  if (!sender) return nack.invalid
  const copies = recipients(stanza).map((copy) => ({
    ...copy,
    device: deviceAt(network, Jid.parse(copy.jid)),
  }))
  const gone = copies.filter((copy) => !copy.device)
  if (gone.length > 0)
    network.log.note(key(line.device), "for no device", { jids: gone.map(({ jid }) => jid) })
  network.store.atomically(() => {
    for (const { device, jid, enc } of copies) {
      if (!device) continue
      const attrs = envelope(network, {
        line,
        sender,
        stanza,
        chat,
        to: device,
        mode: modeOf(Jid.parse(jid) ?? chat),
      })
      deliver(network, device, el("message", attrs, contents(stanza, enc)))
    }
  })
  return undefined
}

/** Each device it is for, with its ciphertext: several as participants, or the one it is addressed to. */
function recipients(stanza: Node): { jid: string | undefined; enc: Node[] }[] {
  const participants = child(stanza, "participants")
  if (!participants)
    return [{ jid: stanza.attrs.to, enc: children(stanza).filter(({ tag }) => tag === "enc") }]
  return children(participants).map((to) => ({ jid: to.attrs.jid, enc: children(to) }))
}

type Copy = { line: Line; sender: User; stanza: Node; chat: Jid.Jid; to: Address; mode: Mode }

/** The attributes of a copy: from whom, in the recipient's view of the chat. */
function envelope(network: Network, copy: Copy) {
  const { line, sender, stanza, chat, to, mode } = copy
  const { id, type, edit, category, push_priority } = stanza.attrs
  const shared = {
    id,
    type,
    t: now(),
    notify: sender.name,
    edit,
    category,
    push_priority,
    addressing_mode: mode,
  }
  const from = inMode(mode, sender, line.device.id)
  if (to.user !== sender.pn)
    return { from, ...shared, [mode === "lid" ? "sender_pn" : "sender_lid"]: otherMode(mode, sender) }
  // One's own other device: the chat is `recipient`, unless the device itself is meant.
  const peer = network.directory.find(Jid.parse(stanza.attrs.recipient) ?? chat)
  if (!peer || category === "peer" || (peer === sender && !child(stanza, "participants")))
    return { from, ...shared }
  return {
    from,
    recipient: inMode(modeOf(chat), peer),
    [mode === "lid" ? "peer_recipient_pn" : "peer_recipient_lid"]: otherMode(modeOf(chat), peer),
    ...shared,
  }
}

/** The ciphertext and what belongs to it; who a companion is only matters to start a session. */
function contents(stanza: Node, enc: Node[]): Node[] {
  const starts = enc.some(({ attrs }) => attrs.type === "pkmsg")
  const rest = children(stanza).filter(({ tag }) => carried.has(tag) || (starts && tag === "device-identity"))
  return [...enc, ...rest]
}

function acknowledge(network: Network, line: Line, stanza: Node, error: number | undefined) {
  const { id, to, participant } = stanza.attrs
  const { faults } = network
  const device = key(line.device)
  const answer = el("ack", { class: "message", id, from: to, participant, t: now(), error })
  if (faults.strike("lose_acks", device)) return
  const hold = faults.strike("hold_acks", device)
  if (hold) faults.hold(hold, line, answer)
  else line.send(answer)
}
