import * as contract from "#contract/chat.ts"
import { toJid } from "#core/message/jid.ts"
import { now } from "#core/platform/clock.ts"
import { changeChat } from "./change-chat.ts"
import { chatPage } from "./chat-page.ts"
import { command, pageResponse } from "./command.ts"
import { messagePage } from "./message-page.ts"

export const chats = {
  listChats: command(contract.listChats, async ({ session, query }) => {
    await (await session.linking()).paired()
    const { chats: page, next } = await chatPage(session, query)
    return pageResponse(page, next)
  }),

  updateChat: command(contract.updateChat, ({ session, params, body }) =>
    changeChat(session, params.chat, body),
  ),

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
