import { isLidUser, isPnUser, proto, type SignalDataSet } from "@whiskeysockets/baileys"
import { withoutDevice } from "#core/message/jid.ts"
import type { Keys } from "../signal/keys.ts"

/** Timers are kept among the keys of a login: they are worth nothing without it. */
const kind = "chat-timer"

/** The seconds after which messages of a chat between two go, as its setting messages say; 0: never. */
export async function timerOf(chat: string, keys: Pick<Keys, "get">): Promise<number> {
  // The names of kinds are Baileys', which has none for this.
  const { [chat]: seconds }: Record<string, number> = await keys.get(kind as never, [chat])
  return seconds ?? 0
}

/**
 * Keeps the timer of a chat between two that either side has set, in the unit of the message that says so.
 */
export async function keepTimer(
  content: proto.IMessage,
  about: { attrs: Record<string, string>; ours: boolean; destination: string | undefined },
  keys: Pick<Keys, "set">,
): Promise<void> {
  const { type, ephemeralExpiration } = content.protocolMessage ?? {}
  const { attrs, ours, destination } = about
  if (type !== proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING || attrs.participant) return
  const names = ours
    ? [attrs.recipient ?? destination, attrs.peer_recipient_pn, attrs.peer_recipient_lid]
    : [attrs.from, attrs.sender_pn, attrs.sender_lid]
  const chats = names.map((jid) => withoutDevice(jid ?? "")).filter((jid) => isPnUser(jid) || isLidUser(jid))
  const entries = chats.map((jid) => [jid, ephemeralExpiration || null])
  await keys.set({ [kind]: Object.fromEntries(entries) } as SignalDataSet)
}
