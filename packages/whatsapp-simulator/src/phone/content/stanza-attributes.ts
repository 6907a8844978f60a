import { proto } from "@whiskeysockets/baileys"
import { el, type Node } from "../../wire/node.ts"

/** The marks of a message's kind on the stanza that carries it. */
export interface StanzaAttributes {
  attrs: { type: string; edit?: string }
  /** On each ciphertext. */
  extra: Record<string, string>
  meta: Node[]
}

const media = ["image", "video", "audio", "document", "sticker"] as const

/** How clients mark a message of this content. */
export function stanzaAttributesOf(content: proto.IMessage | Buffer): StanzaAttributes {
  if (Buffer.isBuffer(content)) return { attrs: { type: "text" }, extra: {}, meta: [] }
  const message = content.editedMessage?.message ?? content
  if (message.reactionMessage ?? message.encReactionMessage)
    return { attrs: { type: "reaction" }, extra: hidden, meta: [] }
  if (message.pollCreationMessageV3 ?? message.pollCreationMessage)
    return { attrs: { type: "poll" }, extra: {}, meta: [el("meta", { polltype: "creation" })] }
  if (message.pollUpdateMessage)
    return { attrs: { type: "poll" }, extra: hidden, meta: [el("meta", { polltype: "vote" })] }
  if (message.eventMessage)
    return { attrs: { type: "event" }, extra: {}, meta: [el("meta", { event_type: "creation" })] }
  if (message.encEventResponseMessage)
    return { attrs: { type: "event" }, extra: hidden, meta: [el("meta", { event_type: "response" })] }
  if (message.secretEncryptedMessage) return { attrs: { type: "text", edit: "1" }, extra: hidden, meta: [] }
  if (message.pinInChatMessage) return { attrs: { type: "text", edit: "2" }, extra: hidden, meta: [] }
  const edit = editOf(message)
  const kind = media.find((one) => message[`${one}Message`])
  if (!kind) return { attrs: { type: "text", ...edit }, extra: {}, meta: [] }
  const mediatype = kind === "audio" && message.audioMessage?.ptt ? "ptt" : kind
  return { attrs: { type: "media", ...edit }, extra: { mediatype }, meta: [] }
}

/** A device that cannot decrypt such a message shows nothing. */
const hidden = { "decrypt-fail": "hide" }

/** 1: edited, 7: revoked by its sender, 8: by an admin. */
function editOf(message: proto.IMessage): { edit?: string } {
  const { protocolMessage } = message
  if (protocolMessage?.editedMessage) return { edit: "1" }
  if (protocolMessage?.key && protocolMessage.type === proto.Message.ProtocolMessage.Type.REVOKE)
    return { edit: protocolMessage.key.fromMe ? "7" : "8" }
  return {}
}
