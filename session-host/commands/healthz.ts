import * as contract from "#core/contract/debug.ts"
import type { Command } from "./command.ts"

export const healthz: Command = {
  route: contract.healthz,
  run: (c) => c.json({ ok: true as const }, 200),
}
