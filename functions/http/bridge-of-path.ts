import { createMiddleware } from "hono/factory"
import { Bridge } from "#core/bridge/bridge.ts"
import { mustBeHere } from "#core/error.ts"
import type { ApiEnv } from "./contract-router.ts"
import { mayCreateSandbox } from "./scope.ts"

/** Finds the bridge that a path names, for its owner only. @throws ApiError `not_found` */
export const bridgeOfPath = createMiddleware<ApiEnv, "/api/instances/:customer_ref/*">(async (c, next) => {
  const { accountId, access } = c.var
  c.set("bridge", await Bridge.get(accountId, c.req.param("customer_ref"), mayCreateSandbox(access)))
  await next()
})

/** What one may still do with a bridge that has moved: look at it, and delete what is left of it. */
const ofBridgeItself = /^\/api\/instances\/[^/]+$/

/** Refuses calls to a bridge that another service has. @throws ApiError `bridge_moved` */
export const bridgeIsHere = createMiddleware<ApiEnv>(async (c, next) => {
  const isAllowed = ofBridgeItself.test(c.req.path) && ["GET", "DELETE"].includes(c.req.method)
  if (!isAllowed) mustBeHere(c.var.bridge)
  await next()
})
