import { createMiddleware } from "hono/factory"
import { ApiError, noSuchBridge } from "#core/error.ts"
import type { ApiEnv } from "./contract-router.ts"

/** The route of the code that links a phone. Anybody who has the code can take the bridge over. */
const links = /^\/api\/instances\/[^/]+\/proxy\/qr$/

/**
 * Contract, "Scopes of keys". The one place that compares a request with what its key may do, after its bridge was found.
 * @throws ApiError `forbidden`; `not_found` for a bridge that is not the key's
 */
export const withinScope = createMiddleware<ApiEnv>(async (c, next) => {
  const { scope, bridge } = c.var.access
  const isRead = c.req.method === "GET" || c.req.method === "HEAD"
  if (scope === "read" && (!isRead || links.test(c.req.path)))
    throw new ApiError("forbidden", "this API key may only read: use one with the scope `all`")
  if (scope === "bridge") {
    const isOfBridge = c.var.bridge !== undefined
    if (isOfBridge && c.var.bridge.id !== bridge?.id) throw noSuchBridge()
    if (!isOfBridge && !(isRead && c.req.path === "/api/instances"))
      throw new ApiError("forbidden", `this API key is for the bridge ${bridge?.customerRef} alone`)
  }
  await next()
})
