import * as contract from "#core/contract/message.ts"
import { toJid } from "#core/jid.ts"
import { built, reactionOf } from "../messages/compose.ts"
import { chatOf, findMessages, keyOf } from "../messages/find-message.ts"
import { bodyOf, type Command } from "./command.ts"
import { sendAndAnswer } from "./send.ts"

const Body = contract.sendReaction.request.body.content["application/json"].schema

export const sendReaction: Command = {
  route: contract.sendReaction,
  run: async (c) => {
    const input = await bodyOf(c, Body)
    return await sendAndAnswer(c, async (live) => {
      const reached = input.chat && (await live.reach(toJid(input.chat)))
      const [message] = await findMessages(live, { id: input.message_id, chat: input.chat })
      return { chat: reached ?? chatOf(message), message: built(reactionOf(keyOf(message), input.emoji)) }
    })
  },
}
