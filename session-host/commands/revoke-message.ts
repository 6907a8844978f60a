import * as contract from "#core/contract/message.ts"
import { built, revocationOf } from "../baileys/compose.ts"
import { findOwn, keyOf } from "../find-message.ts"
import { type Command, paramOf } from "./command.ts"
import { messageIdOf } from "./send.ts"

export const revokeMessage: Command = {
  route: contract.revokeMessage,
  run: async (c) => {
    const id = paramOf(c, contract.revokeMessage.request.params, "id")
    const sent = await c.var.session.send(messageIdOf(c), async (live) => {
      const message = await findOwn(live, { id })
      return { chat: message.chat, message: built(revocationOf(keyOf(message))) }
    })
    return c.json({ message_id: sent.messageId, timestamp: sent.timestamp }, 200)
  },
}
