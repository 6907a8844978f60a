import * as contract from "#core/contract/profile.ts"
import type { Command } from "./command.ts"

export const removeAvatar: Command = {
  route: contract.removeAvatar,
  run: async (c) => {
    await c.var.session.use(({ connection }) => connection.ask({ xmlns: "w:profile:picture", type: "set" }))
    return c.json({ ok: true as const }, 200)
  },
}
