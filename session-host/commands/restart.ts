import type { Command } from "./command.ts"

/** For the API only, which calls it when the webhook changes (Contract, "Changing the webhook"). */
export const restart: Command = {
  route: { method: "post", path: "/restart" },
  run: async (c) => {
    await c.var.session.restart()
    return c.body(null, 204)
  },
}
