import { proto } from "@whiskeysockets/baileys"
import type { DeviceAddress } from "../network/directory.ts"
import * as Jid from "../wire/jid.ts"
import type { Handset } from "./handset.ts"
import { asWebMessage, olderMessages } from "./history.ts"
import { keyShare } from "./settings/keys.ts"

/** A message of a companion for its phone alone; `id` is its stanza's. */
export interface PeerMessage {
  from: DeviceAddress
  id: string
  content: proto.IMessage
}

type Request = proto.Message.IPeerDataOperationRequestMessage

/**
 * The phone's answers to a companion: keys of settings, older messages, and messages of which the companion
 * got only a placeholder.
 */
export async function answersTo(
  handset: Handset,
  { from, id, content }: PeerMessage,
): Promise<proto.IMessage[]> {
  const keysAsked = content.protocolMessage?.appStateSyncKeyRequest?.keyIds
  if (keysAsked) return [keyShare(handset.keys, keysAsked)]
  const request = content.protocolMessage?.peerDataOperationRequestMessage
  if (!request) return []
  const asked = request.historySyncOnDemandRequest
  if (asked) return await olderMessages(handset, from, asked)
  return (request.placeholderMessageResendRequest ?? []).length > 0 ? [resent(handset, id, request)] : []
}

/**
 * The messages that a companion asks for, as far as the phone has them, in the form in which phones keep
 * them.
 */
function resent(handset: Handset, stanzaId: string, request: Request): proto.IMessage {
  const peerDataOperationResult = (request.placeholderMessageResendRequest ?? []).map(({ messageKey }) => {
    const { id, remoteJid } = messageKey ?? {}
    const chat = handset.network.directory.find(Jid.parse(remoteJid ?? undefined))?.pn ?? remoteJid ?? ""
    const message = handset.inbox.find(chat, id ?? "")
    const web = message && asWebMessage(handset, remoteJid ?? "", message)
    return {
      placeholderMessageResendResponse: web
        ? { webMessageInfoBytes: proto.WebMessageInfo.encode(web).finish() }
        : {},
    }
  })
  const { PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE: type } = proto.Message.ProtocolMessage.Type
  const { peerDataOperationRequestType } = request
  return {
    protocolMessage: {
      type,
      peerDataOperationRequestResponseMessage: {
        stanzaId,
        peerDataOperationRequestType,
        peerDataOperationResult,
      },
    },
  }
}
