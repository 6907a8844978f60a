import * as contract from "#contract/chat.ts"
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
}
