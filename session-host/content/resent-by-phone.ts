import { withoutDevice } from "#core/message/jid.ts"
import type { MessageContent } from "../network/connection.ts"
import type { Own } from "../network/happening.ts"

interface Input {
  attrs: Record<string, string>
  content: MessageContent
  own: Own
}

/**
 * Messages that our own phone sends once more, because the network had only a placeholder of them
 * (`<unavailable>`): as `WebMessageInfo`. From any other sender, it would be a way to put words into other
 * people's mouths.
 */
export function resentIn({ attrs, content, own }: Input): Uint8Array[] {
  const sender = withoutDevice(attrs.from ?? "")
  const isOurs = sender !== "" && (sender === own.jid || sender === own.lid)
  if (!isOurs || attrs.category !== "peer") return []
  const inner = content.deviceSentMessage?.message ?? content
  const response = inner.protocolMessage?.peerDataOperationRequestResponseMessage
  return (response?.peerDataOperationResult ?? []).flatMap(
    (result) => result.placeholderMessageResendResponse?.webMessageInfoBytes ?? [],
  )
}

/** The name of a message in the form in which phones keep it. */
interface Web {
  key?: {
    id?: string | null
    remoteJid?: string | null
    fromMe?: boolean | null
    participant?: string | null
  } | null
  message?: MessageContent | null
  messageTimestamp?: unknown
  participant?: string | null
  pushName?: string | null
  verifiedBizName?: string | null
}

/** Turns a phone's stored form of a message (`WebMessageInfo`) into the form in which a stanza brings it. */
export function stanzaFormOf(web: Web, own: Own) {
  const { id, remoteJid, fromMe, participant } = web.key ?? {}
  if (!id || !remoteJid || !web.message) return []
  const attrs: Record<string, string> = {
    id,
    t: String(Number(web.messageTimestamp ?? 0)),
    ...(web.pushName && { notify: web.pushName }),
    ...whereOf(remoteJid, fromMe ? own.jid : (participant ?? web.participant), fromMe ? own.jid : undefined),
  }
  return [{ attrs, content: web.message, verified: Boolean(web.verifiedBizName) }]
}

function whereOf(
  chat: string,
  author: string | null | undefined,
  ours: string | undefined,
): Record<string, string> {
  if (chat.endsWith("@g.us") || chat.endsWith("@broadcast")) return { from: chat, participant: author ?? "" }
  return ours ? { from: ours, recipient: chat } : { from: chat }
}
