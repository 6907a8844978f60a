import type { BinaryNode, proto } from "@whiskeysockets/baileys"

interface StanzaAttributes {
  additionalAttributes: Record<string, string>
  additionalNodes: BinaryNode[]
}

/**
 * The marks of a message's kind on its stanza, beyond those that `relayMessage` finds out by itself. Made of
 * the message alone, so that the same bytes go out with the same marks.
 */
export function stanzaAttributesOf(message: proto.IMessage): StanzaAttributes {
  const { protocolMessage } = message
  if (protocolMessage?.editedMessage) return { additionalAttributes: { edit: "1" }, additionalNodes: [] }
  // 8: an admin revokes another member's message.
  if (protocolMessage?.key)
    return { additionalAttributes: { edit: protocolMessage.key.fromMe ? "7" : "8" }, additionalNodes: [] }
  if (message.pinInChatMessage) return { additionalAttributes: { edit: "2" }, additionalNodes: [] }
  if (message.pollCreationMessage ?? message.pollCreationMessageV3) return meta({ polltype: "creation" })
  if (message.eventMessage) return meta({ event_type: "creation" })
  // Baileys takes these for texts, WhatsApp Web does not (`WAWebE2EProtoUtils.typeAttributeFromProtobuf`).
  const isMedia = message.ptvMessage ?? message.extendedTextMessage?.matchedText
  return { additionalAttributes: isMedia ? { type: "media" } : {}, additionalNodes: [] }
}

function meta(attrs: Record<string, string>): StanzaAttributes {
  return { additionalAttributes: {}, additionalNodes: [{ tag: "meta", attrs }] }
}
