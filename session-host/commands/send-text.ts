import * as contract from "#core/contract/message.ts"
import { ApiError } from "#core/error.ts"
import { toJid } from "#core/jid.ts"
import { textMessage } from "../baileys/compose.ts"
import { bodyOf, type Command } from "./command.ts"

const Body = contract.sendText.request.body.content["application/json"].schema

export const sendText: Command = {
  route: contract.sendText,
  run: async (c) => {
    const { session, call } = c.var
    const input = await bodyOf(c, Body)
    if (!call.messageId) throw new ApiError("invalid_request", "the call names no message id")
    const sent = await session.send(call.messageId, async (connection) => ({
      chat: await session.reach(toJid(input.chat), connection),
      message: textMessage({ body: input.body }),
    }))
    return c.json({ message_id: sent.messageId, timestamp: sent.timestamp }, 200)
  },
}
