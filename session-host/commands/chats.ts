import * as contract from "#core/contract/chat.ts"
import { strangersJson } from "#core/strangers-json.ts"
import { messagePage } from "../chats/message-page.ts"
import { command } from "./command.ts"

export const chats = {
  listMessages: command(contract.listMessages, async ({ session, params, query }) => {
    await (await session.linking()).paired()
    const { messages, next } = await messagePage(await session.memory(), { ...query, chat: params.chat })
    return paged(messages, next)
  }),
}

/** A page; `next` leads to the one after it. */
function paged(page: object[], next: string | undefined): Response {
  const headers = { "content-type": "application/json", ...(next !== undefined && { "x-next-after": next }) }
  return new Response(strangersJson(page), { headers })
}
