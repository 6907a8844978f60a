import type { Command } from "./command.ts"

/**
 * For the API only: the bridge was paused, suspended or deleted, and its session must stop at once; or its choice of
 * events has changed.
 */
export const lookAtLease: Command = {
  route: { method: "post", path: "/look-at-lease" },
  run: async (c) => {
    await c.var.session.lookAtLease()
    return c.body(null, 204)
  },
}
