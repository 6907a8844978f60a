import * as contract from "#contract/chat.ts"
import { ApiError } from "#core/error.ts"
import { toJid } from "#core/message/jid.ts"
import { now, nowMs } from "#core/platform/clock.ts"
import type { Transcript } from "../chats/transcript.ts"
import type { Oldest } from "../network/connection.ts"
import type { ConnectedSession } from "../session/connected-session.ts"
import type { Session } from "../session/session.ts"
import { changeChat } from "./change-chat.ts"
import { chatPage } from "./chat-page.ts"
import { setTimer, timerOf } from "./chat-timer.ts"
import { command, pageResponse } from "./command.ts"
import { keptWire, messagePage } from "./message-page.ts"
import { findStanding } from "./message-to-act-on.ts"
import { clearChat, deleteChat } from "./remove-for-me.ts"

/** The message before which older ones are meant. @throws ApiError `not_found` */
async function oldestOf(
  connected: ConnectedSession,
  transcript: Pick<Transcript, "oldest">,
  { chat, before: id }: { chat: string; before: string | undefined },
): Promise<Oldest> {
  // Phones keep chats with people by their private ids.
  const under = (await connected.lidOf(chat)) ?? chat
  if (id === undefined) {
    const kept = await transcript.oldest(chat)
    if (!kept) throw new ApiError("not_found", noMessage)
    return { id: kept.message_id, chat: under, fromMe: kept.from_me, timestamp: kept.timestamp }
  }
  const { fromMe, sent, atMs = nowMs() } = await findStanding(connected, { id, chat })
  const timestamp = sent?.state === "acked" ? sent.timestamp : Math.floor(atMs / 1000)
  return { id, chat: under, fromMe, timestamp }
}

const noMessage =
  "no message of this chat is kept, so the phone cannot be told where to begin: name one in `before`, or wait for the next one"

export const chats = {
  listChats: command(contract.listChats, async ({ session, query }) => {
    await (await session.linking()).paired()
    const { chats: page, next } = await chatPage(session, query)
    return pageResponse(page, next)
  }),

  updateChat: command(contract.updateChat, ({ session, params, body }) =>
    changeChat(session, params.chat, body),
  ),

  clearChat: command(contract.clearChat, async ({ session, params }) => {
    await clearChat(session, params.chat)
    return { ok: true }
  }),

  deleteChat: command(contract.deleteChat, async ({ session, params }) => {
    await deleteChat(session, params.chat)
    return { ok: true }
  }),

  getChatTimer: command(contract.getChatTimer, ({ session, params }) => timerWire(session, params.chat)),

  setChatTimer: command(contract.setChatTimer, async ({ session, call, params, body }) => {
    await setTimer(session, { chat: params.chat, seconds: body.seconds, requestId: call.requestId })
    return await timerWire(session, params.chat)
  }),

  listMessages: command(contract.listMessages, async ({ session, params, query }) => {
    await (await session.linking()).paired()
    const { messages, next } = await messagePage(await session.memory(), { ...query, chat: params.chat })
    return pageResponse(messages, next)
  }),

  searchMessages: command(contract.searchMessages, async ({ session, query }) => {
    await (await session.linking()).paired()
    const { messages, next } = await messagePage(await session.memory(), query)
    return pageResponse(messages, next)
  }),

  askForOlder: command(contract.askForOlder, async ({ session, params, body }) => {
    const { history, transcript } = await session.memory()
    const jid = toJid(params.chat)
    return await session.use(async (connected) => {
      const oldest = await oldestOf(connected, transcript, { chat: jid, before: body.before })
      const ask = () => connected.connection.askPhoneForOlder(oldest, body.count)
      const older = await history.older(jid, ask)
      const messages = older?.messages.map(keptWire) ?? []
      return {
        state: older ? ("came" as const) : ("asked" as const),
        messages,
        is_end: older?.isEnd ?? false,
      }
    })
  }),

  listHandovers: command(contract.listHandovers, async ({ session, query }) => {
    await (await session.linking()).paired()
    const { handovers, vault } = await session.memory()
    const names = query.chat === undefined ? undefined : await vault.namesOf(toJid(query.chat))
    const found = [...(await handovers.list())].map(async ([jid, until]) => ({
      chat_id: await vault.phoneOf(jid),
      until,
    }))
    return (await Promise.all(found)).filter(({ chat_id }) => !names || names.has(chat_id))
  }),

  setHandover: command(contract.setHandover, async ({ session, params, body }) => {
    await (await session.linking()).paired()
    const { handovers, vault } = await session.memory()
    const jid = toJid(params.chat)
    const until = body.seconds === 0 ? 0 : now() + body.seconds
    await handovers.set(jid, until)
    return { chat_id: await vault.phoneOf(jid), until }
  }),
}

async function timerWire(session: Session, chat: string) {
  const jid = toJid(chat)
  const disappearing = await session.use((connected) => timerOf(connected, jid))
  return { chat_id: await (await session.memory()).vault.phoneOf(jid), disappearing }
}
