import * as contract from "#core/contract/message.ts"
import { toJid } from "#core/jid.ts"
import { bodyOf, type Command } from "./command.ts"

const Body = contract.sendTyping.request.body.content["application/json"].schema

export const sendTyping: Command = {
  route: contract.sendTyping,
  run: async (c) => {
    const input = await bodyOf(c, Body)
    await c.var.session.use(async (live) => {
      const chat = await live.reach(toJid(input.chat))
      await live.connection.showTyping(chat, input.state)
    })
    return c.json({ ok: true as const }, 200)
  },
}
