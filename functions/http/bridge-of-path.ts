import { createMiddleware } from "hono/factory"
import { Bridge } from "#core/bridge/bridge.ts"
import type { ApiEnv } from "./router.ts"

/** Finds the bridge that a path names, for its owner only. @throws ApiError `not_found` */
export const bridgeOfPath = createMiddleware<ApiEnv, "/api/instances/:customer_ref/*">(async (c, next) => {
  c.set("bridge", await Bridge.get(c.var.accountId, c.req.param("customer_ref")))
  await next()
})
