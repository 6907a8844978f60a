import * as contract from "#contract/chat.ts"
import { toJid } from "#core/message/jid.ts"
import { now } from "#core/platform/clock.ts"
import type { Session } from "../session/session.ts"
import { changeChat } from "./change-chat.ts"
import { chatPage } from "./chat-page.ts"
import { setTimer, timerOf } from "./chat-timer.ts"
import { command, pageResponse } from "./command.ts"
import { messagePage } from "./message-page.ts"
import { clearChat, deleteChat } from "./remove-for-me.ts"

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
