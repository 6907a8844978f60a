import * as contract from "#core/contract/message.ts"
import { findMessages, keyOf } from "../messages/find-message.ts"
import { bodyOf, type Command, paramOf } from "./command.ts"

const Body = contract.readMessage.request.body.content["application/json"].schema

export const readMessage: Command = {
  route: contract.readMessage,
  run: async (c) => {
    const id = paramOf(c, contract.readMessage.request.params, "id")
    const input = await bodyOf(c, Body)
    await c.var.session.use(async (live) => {
      const found = await findMessages(live, { id, chat: input.chat })
      // Nobody needs a receipt for our own messages.
      const received = found.find(({ fromMe }) => !fromMe)
      if (received) await live.connection.markRead(keyOf(received))
    })
    return c.json({ ok: true as const }, 200)
  },
}
