import * as contract from "#contract/presence.ts"
import { ApiError } from "#core/error.ts"
import { isGroup, toJid } from "#core/message/jid.ts"
import { command } from "./command.ts"

export const presence = {
  setPresence: command(contract.setPresence, async ({ session, body }) => {
    const isAvailable = body.state === "available"
    await session.use(async ({ connection, standing }) => {
      await standing.setAvailable(isAvailable)
      await connection.setAvailable(isAvailable)
    })
    return { ok: true }
  }),

  subscribePresence: command(contract.subscribePresence, async ({ session, body }) => {
    await session.use(async ({ connection, standing, reach }) => {
      // A session that is not shown as available hears nothing about others (Contract, "Presence").
      if (!standing.isAvailable) throw new ApiError("presence_unavailable")
      const jid = await reach(toJid(body.chat))
      // `chat` may be a group (Contract, "Chats and message ids"). The network reports typing in groups
      // unasked, and there is nothing else to report.
      if (!isGroup(jid)) await connection.watch(jid)
    })
    return { ok: true }
  }),
}
