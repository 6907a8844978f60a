import * as contract from "#core/contract/session.ts"
import type { Command } from "./command.ts"

export const logout: Command = {
  route: contract.logout,
  run: async (c) => {
    await c.var.session.logout()
    return c.json({ ok: true as const }, 200)
  },
}
