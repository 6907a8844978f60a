import { isLidUser, isPnUser, proto, type SignalDataSet } from "@whiskeysockets/baileys"
import { withoutDevice } from "#core/message/jid.ts"
import { now } from "#core/platform/clock.ts"
import type { DisappearingTimer } from "../../network/connection.ts"
import type { Keys } from "../signal/keys.ts"

/** Timers are kept among the keys of a login: they are worth nothing without it. */
const kind = "chat-timer"

const changedInChat: number = proto.DisappearingMode.Initiator.CHANGED_IN_CHAT

/** The timer of a chat between two people, as its setting messages say; undefined if messages stay. */
export async function timerOf(chat: string, keys: Pick<Keys, "get">): Promise<DisappearingTimer | undefined> {
  // The names of kinds are Baileys', which has none for this.
  const { [chat]: timer }: Record<string, DisappearingTimer> = await keys.get(kind as never, [chat])
  return timer ?? undefined
}

/** Keeps the timer that this session has set for a chat between two people, under each address of it. */
export async function keepTimer(
  chat: Iterable<string>,
  seconds: number,
  keys: Pick<Keys, "set">,
): Promise<void> {
  const timer = seconds === 0 ? null : { seconds, setAt: now(), initiator: changedInChat, isOurs: true }
  await keys.set({ [kind]: Object.fromEntries([...chat].map((jid) => [jid, timer])) } as SignalDataSet)
}

/**
 * Keeps the timer that either side of a chat between two people has set, in the unit of the message that says
 * so.
 */
export async function storeTimer(
  content: proto.IMessage,
  about: { attrs: Record<string, string>; ours: boolean; destination: string | undefined },
  keys: Pick<Keys, "set">,
): Promise<void> {
  const { type, ephemeralExpiration, disappearingMode } = content.protocolMessage ?? {}
  const { attrs, ours, destination } = about
  if (type !== proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING || attrs.participant) return
  const names = ours
    ? [attrs.recipient ?? destination, attrs.peer_recipient_pn, attrs.peer_recipient_lid]
    : [attrs.from, attrs.sender_pn, attrs.sender_lid]
  const chats = names.map((jid) => withoutDevice(jid ?? "")).filter((jid) => isPnUser(jid) || isLidUser(jid))
  const timer: DisappearingTimer | null = ephemeralExpiration
    ? {
        seconds: ephemeralExpiration,
        setAt: Number(attrs.t) || now(),
        initiator: disappearingMode?.initiator ?? changedInChat,
        isOurs: ours,
      }
    : null
  const entries = chats.map((jid) => [jid, timer])
  await keys.set({ [kind]: Object.fromEntries(entries) } as SignalDataSet)
}
