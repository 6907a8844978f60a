import { isGroup, toJid } from "#core/message/jid.ts"
import { newMessageId } from "#core/message/message-id.ts"
import { buildMessage, toTimer } from "../content/compose.ts"
import { changeGroup } from "../groups/change-settings.ts"
import { notInGroup } from "../groups/refusals.ts"
import type { ConnectedSession } from "../session/connected-session.ts"
import type { Session } from "../session/session.ts"

// Contract, "Disappearing messages".

/** After how many seconds the messages of a chat disappear; 0: they stay. @throws ApiError `not_found` */
export async function timerOf({ connection, namesOf }: ConnectedSession, jid: string): Promise<number> {
  if (isGroup(jid) && !(await connection.isInGroup(jid))) throw notInGroup()
  for (const name of await namesOf(jid)) {
    const timer = await connection.timerOf(name)
    if (timer) return timer.seconds
  }
  return 0
}

/**
 * Changes the timer of a chat: of a group by a request, and of a chat between two people by a message that
 * says so. If the host dies between that message and its own note of it, a retry says it once more.
 * @throws ApiError as a send does, and `not_admin`. NetworkRejected, NoAnswer
 */
export async function setTimer(
  session: Session,
  {
    chat,
    seconds,
    requestId,
  }: { chat: string; seconds: 0 | 86_400 | 604_800 | 7_776_000; requestId?: string },
): Promise<void> {
  const jid = toJid(chat)
  if (isGroup(jid))
    return void (await session.use((connected) => changeGroup(connected, jid, { disappearing: seconds })))
  if ((await session.use((connected) => timerOf(connected, jid))) === seconds) return
  const { chat: reached } = await session.send({
    messageId: newMessageId(),
    isNew: true,
    requestId,
    composeFor: async ({ reach }) => ({ chat: await reach(jid), message: buildMessage(toTimer(seconds)) }),
  })
  await session.use(async ({ connection, namesOf }) => connection.keepTimer(await namesOf(reached), seconds))
}
