import * as contract from "#core/contract/presence.ts"
import { bodyOf, type Command } from "./command.ts"

const Body = contract.setPresence.request.body.content["application/json"].schema

export const setPresence: Command = {
  route: contract.setPresence,
  run: async (c) => {
    const { state } = await bodyOf(c, Body)
    const isAvailable = state === "available"
    await c.var.session.use(async ({ connection, standing }) => {
      await standing.setAvailable(isAvailable)
      await connection.setAvailable(isAvailable)
    })
    return c.json({ ok: true as const }, 200)
  },
}
