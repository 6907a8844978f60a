import * as contract from "#core/contract/presence.ts"
import { ApiError } from "#core/error.ts"
import { isGroup, toJid } from "#core/jid.ts"
import { bodyOf, type Command } from "./command.ts"

const Body = contract.subscribePresence.request.body.content["application/json"].schema

export const subscribePresence: Command = {
  route: contract.subscribePresence,
  run: async (c) => {
    const { chat } = await bodyOf(c, Body)
    await c.var.session.use(async ({ connection, standing, reach }) => {
      // A session that is not shown as available hears nothing about others (Contract, "Presence").
      if (!standing.isAvailable) throw new ApiError("presence_unavailable")
      const jid = await reach(toJid(chat))
      // `chat` may be a group (Contract, "Chats and message ids"). The network reports typing in groups unasked, and
      // there is nothing else to report.
      if (!isGroup(jid)) await connection.watch(jid)
    })
    return c.json({ ok: true as const }, 200)
  },
}
