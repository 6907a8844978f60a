import { proto } from "@whiskeysockets/baileys"
import type { Address } from "../network/directory.ts"
import * as Jid from "../wire/jid.ts"
import type { Desk } from "./desk.ts"
import { asWebMessage, older } from "./history.ts"
import { keyShare } from "./welcome.ts"

/** What a companion tells its phone alone; `id` is its stanza's. */
export interface Peer {
  from: Address
  id: string
  content: proto.IMessage
}

type Request = proto.Message.IPeerDataOperationRequestMessage

/**
 * What the phone answers a companion: keys of settings, older messages, and those that the companion got a placeholder
 * of.
 */
export async function answersTo(desk: Desk, { from, id, content }: Peer): Promise<proto.IMessage[]> {
  const keysAsked = content.protocolMessage?.appStateSyncKeyRequest?.keyIds
  if (keysAsked) return [keyShare(desk.keys, keysAsked)]
  const request = content.protocolMessage?.peerDataOperationRequestMessage
  if (!request) return []
  const asked = request.historySyncOnDemandRequest
  if (asked) return await older(desk, from, asked)
  return (request.placeholderMessageResendRequest ?? []).length > 0 ? [resent(desk, id, request)] : []
}

/** Each message that the phone has, in the form in which phones keep them. */
function resent(desk: Desk, stanzaId: string, request: Request): proto.IMessage {
  const peerDataOperationResult = (request.placeholderMessageResendRequest ?? []).map(({ messageKey }) => {
    const { id, remoteJid } = messageKey ?? {}
    const chat = desk.network.directory.find(Jid.parse(remoteJid ?? undefined))?.pn ?? remoteJid ?? ""
    const message = desk.inbox.find(chat, id ?? "")
    const web = message && asWebMessage(desk, remoteJid ?? "", message)
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
