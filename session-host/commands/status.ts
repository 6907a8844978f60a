import * as contract from "#core/contract/session.ts"
import type { Command } from "./command.ts"

export const status: Command = {
  route: contract.status,
  run: async (c) => c.json(await c.var.session.status(), 200),
}
