import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { hkdf, proto } from "@whiskeysockets/baileys"
import { now } from "../../clock.ts"
import { findDevice, inMode } from "../../network/addressing.ts"
import { sendToDevice } from "../../network/send-to-device.ts"
import * as Jid from "../../wire/jid.ts"
import { bytes, child, el, type Node } from "../../wire/node.ts"
import type { Handset } from "../handset.ts"
import type { Message } from "../messages.ts"
import { filePartOf } from "./media.ts"

const { SUCCESS, NOT_FOUND, DECRYPTION_ERROR } = proto.MediaRetryNotification.ResultType

/** A companion misses a file the network has forgotten: the phone brings it again, and says where it is. */
export function bringAgain(handset: Handset, receipt: Node) {
  const { id = "", from } = receipt.attrs
  const about = child(receipt, "rmr")
  const companion = findDevice(handset.network, Jid.parse(from))
  if (!companion || companion.user !== handset.own.user || !about) return
  const answer = answerTo(handset, id, about, child(receipt, "encrypt"))
  const attrs = { from: inMode("pn", handset.user()), type: "mediaretry", id, t: now() }
  sendToDevice(handset.network, companion, el("notification", attrs, [...answer, about]))
}

function answerTo(handset: Handset, id: string, about: Node, asked: Node | undefined): Node[] {
  const jid = Jid.parse(about.attrs.jid)
  const chat = handset.network.directory.find(jid)?.pn ?? about.attrs.jid ?? ""
  const found = handset.inbox.find(chat, id)
  const message = found && isMeant(handset, found, about) ? found : undefined
  const part = message && filePartOf(proto.Message.fromObject(message.content as object))?.part
  if (!part?.mediaKey || !part.directPath || !handset.network.media.restore(part.directPath))
    return [el("error", { code: NOT_FOUND })]
  const key = Buffer.from(hkdf(part.mediaKey, 32, { info: "WhatsApp Media Retry Notification" }))
  if (!opens(key, id, asked)) return [el("error", { code: DECRYPTION_ERROR })]
  const plaintext = proto.MediaRetryNotification.encode({
    stanzaId: id,
    directPath: part.directPath,
    result: SUCCESS,
  }).finish()
  const iv = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", key, iv)
  cipher.setAAD(Buffer.from(id))
  const sealed = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
  return [el("encrypt", {}, [el("enc_p", {}, sealed), el("enc_iv", {}, iv)])]
}

/**
 * Whether the companion means this message: among many people, it names the author of another person's
 * message.
 */
function isMeant(handset: Handset, { from, from_me }: Message, { attrs }: Node): boolean {
  if (from_me || !/@(?:g\.us|broadcast)$/.test(attrs.jid ?? "")) return true
  return handset.network.directory.find(Jid.parse(attrs.participant))?.pn === from
}

/** Whether the companion asked under the file's own key. */
function opens(key: Buffer, id: string, asked: Node | undefined): boolean {
  const sealed = bytes(child(asked, "enc_p")) ?? Buffer.alloc(0)
  const iv = bytes(child(asked, "enc_iv")) ?? Buffer.alloc(12)
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, iv)
    decipher.setAAD(Buffer.from(id))
    decipher.setAuthTag(sealed.subarray(-16))
    decipher.update(sealed.subarray(0, -16))
    decipher.final()
    return true
  } catch {
    // It asked under another key.
    return false
  }
}
