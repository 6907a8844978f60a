import type { Command } from "./command.ts"

/** Between API and host alone: the bridge was paused, suspended or deleted, and its session is to stop at once. */
export const lookAtLease: Command = {
  route: { method: "post", path: "/look-at-lease" },
  run: async (c) => {
    await c.var.session.lookAtLease()
    return c.body(null, 204)
  },
}
