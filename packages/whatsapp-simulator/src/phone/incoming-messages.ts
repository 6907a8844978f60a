import { proto, unpadRandomMax16 } from "@whiskeysockets/baileys"
import { findDevice } from "../network/addressing.ts"
import { type DeviceAddress, deviceName } from "../network/directory.ts"
import * as Jid from "../wire/jid.ts"
import { bigEndian, bytes, child, children, el, type Node } from "../wire/node.ts"
import { described } from "./content/describe.ts"
import { open } from "./content/sealed.ts"
import type { Handset } from "./handset.ts"
import type { PeerMessage } from "./peer.ts"
import { makeRetryKeys } from "./signal/prekeys.ts"
import { type DecryptFailure, decryptFailureOf } from "./signal/sessions.ts"

/** A phone asks at most this often for a message it cannot read. */
const retries = 5

/**
 * Why it asks, as WhatsApp Web numbers it (whatsmeow, `retry.go`; whatsapp-rust, `RetryReason`): 7 is a bad
 * MAC.
 */
const reasons: Record<DecryptFailure, number> = { no_session: 1, unknown_prekey: 3, bad: 7, repeated: 0 }

/**
 * Reads a message: keeps it and says so, or asks for it once more. A message for the phone alone is returned.
 */
export async function readMessage(handset: Handset, stanza: Node): Promise<PeerMessage | undefined> {
  const { from, participant } = stanza.attrs
  const sender = findDevice(handset.network, Jid.parse(participant ?? from))
  try {
    const content = await opened(handset, stanza, sender)
    keep(handset, stanza, sender, content)
    if (sender && stanza.attrs.category === "peer")
      return { from: sender, id: stanza.attrs.id ?? "", content }
  } catch (error) {
    handset.keys.rollback()
    settle(handset, stanza, decryptFailureOf(error))
  }
  return undefined
}

/** The message, from all its ciphertexts: a sender key may come before what is under it. */
async function opened(
  handset: Handset,
  stanza: Node,
  sender: DeviceAddress | undefined,
): Promise<proto.IMessage> {
  const message: proto.IMessage = {}
  const parts = children(stanza).filter(({ tag }) => tag === "enc")
  if (!sender || parts.length === 0) throw new Error("nothing to decrypt")
  for (const enc of parts) {
    const padded = await decrypt(handset, stanza, sender, enc)
    const part = proto.Message.decode(unpadRandomMax16(padded))
    const senderKey = part.senderKeyDistributionMessage
    if (senderKey?.groupId && senderKey.axolotlSenderKeyDistributionMessage)
      await handset.groupSignal.accept(
        senderKey.groupId,
        sender,
        senderKey.axolotlSenderKeyDistributionMessage,
      )
    Object.assign(message, part.deviceSentMessage?.message ?? part)
  }
  return message
}

function decrypt(handset: Handset, stanza: Node, sender: DeviceAddress, enc: Node): Promise<Buffer> {
  const body = bytes(enc) ?? Buffer.alloc(0)
  switch (enc.attrs.type ?? "") {
    case "pkmsg":
      return handset.signal.decrypt(sender, { type: "pkmsg", body })
    case "msg":
      return handset.signal.decrypt(sender, { type: "msg", body })
    case "skmsg":
      return handset.groupSignal.decrypt(stanza.attrs.from ?? "", sender, body)
    default:
      throw new Error(`no ciphertext of type ${enc.attrs.type}`)
  }
}

/** Keeps a decrypted message: the message, the ratchet and the receipt in one write. */
function keep(handset: Handset, stanza: Node, sender: DeviceAddress | undefined, content: proto.IMessage) {
  const { id = "", from, t, offline, category, recipient, participant } = stanza.attrs
  const own = sender?.user === handset.own.user
  const type = category === "peer" ? "peer_msg" : own ? "sender" : undefined
  const writer = sender && handset.network.directory.user(sender.user)
  const chat = sender ? chatOf(handset, stanza, sender) : ""
  const opened = writer && open(handset, chat, writer, content)
  handset.network.store.atomically(() => {
    handset.keys.commit()
    if (category !== "peer" && sender && !(own && isToItselfByNumber(handset, stanza)))
      handset.inbox.add({
        id,
        chat,
        from: sender.user,
        from_device: sender.id,
        from_me: own,
        timestamp: Number(t),
        offline: offline !== undefined,
        ...described(content),
        ...(opened && { opened }),
      })
    handset.submit(el("receipt", { id, to: from, type, recipient, participant }))
  })
  handset.inbox.announce()
}

/**
 * Whether the account has written to itself by number, though its chats go by private id. The network takes
 * it, and no phone shows it (Cobalt, `SelfPnLidRoutingTest`; WhatsApp Web, `WAWebPnlessStanzaMigration`).
 */
function isToItselfByNumber(handset: Handset, { attrs }: Node): boolean {
  const chat = Jid.parse(attrs.recipient ?? attrs.from)
  if (!Jid.isPerson(chat) || chat?.server === "lid") return false
  const isItself = handset.network.directory.find(chat)?.pn === handset.own.user
  return isItself && !handset.network.profiles.get(handset.own.user).byNumber
}

/** The chat of a message: the other person's number; for a group or status, its address. */
function chatOf(handset: Handset, stanza: Node, sender: DeviceAddress): string {
  const { from = "", recipient } = stanza.attrs
  if (!Jid.isPerson(Jid.parse(from))) return from
  if (sender.user !== handset.own.user) return sender.user
  return handset.network.directory.find(Jid.parse(recipient ?? from))?.pn ?? ""
}

/**
 * Asks for a message that was not decrypted once more, unless its key was used before, which makes it a
 * repetition.
 */
function settle(handset: Handset, stanza: Node, why: DecryptFailure) {
  const { id, from, t, recipient, participant } = stanza.attrs
  handset.notDecrypted[why]++
  handset.network.log.note(deviceName(handset.own), "not decrypted", { id, from, why })
  const count = Number(child(stanza, "enc")?.attrs.count ?? 0) + 1
  const registration = bigEndian(handset.keys.identity().registrationId, 4)
  if (why !== "repeated" && count <= retries)
    handset.submit(
      el("receipt", { id, to: from, type: "retry", recipient, participant }, [
        el("retry", { count, id, t, v: "1", error: reasons[why] }),
        el("registration", {}, registration),
        // The second request brings keys for a new session.
        ...(count > 1 ? [makeRetryKeys(handset)] : []),
      ]),
    )
  const error = why === "repeated" ? "496" : "500"
  handset.submit(el("ack", { class: "message", id, to: from, participant, recipient, error }))
}
