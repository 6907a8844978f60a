import { createMiddleware } from "hono/factory"
import type { ApiKey } from "#core/account/api-key.ts"
import { ApiError, noSuchBridge } from "#core/error.ts"
import type { ApiEnv } from "./contract-router.ts"

/**
 * Paths of the code that links a phone, and of a group's link. Whoever has the code or link can take the bridge over,
 * or join the group.
 */
const keys = /^\/api\/instances\/[^/]+\/proxy\/(?:qr|groups\/[^/]+\/invite)$/

/** Whether a sandbox that is not there is created for this key. */
export function mayCreateSandbox({ scope }: ApiKey.Access): boolean {
  return scope === "all"
}

/**
 * Contract, "Scopes of keys". This file alone compares a request with what its key may do: here once its bridge was
 * found.
 * @throws ApiError `forbidden`; `not_found` for a bridge that is not the key's
 */
export const withinScope = createMiddleware<ApiEnv>(async (c, next) => {
  const { scope, bridge } = c.var.access
  const isRead = c.req.method === "GET"
  if (scope === "read" && (!isRead || keys.test(c.req.path)))
    throw new ApiError("forbidden", "this API key may only read: use one with the scope `all`")
  if (scope === "bridge") {
    const isOfBridge = c.var.bridge !== undefined
    if (isOfBridge && c.var.bridge.id !== bridge?.id) throw noSuchBridge()
    if (!isOfBridge && !(isRead && c.req.path === "/api/instances"))
      throw new ApiError("forbidden", `this API key is for the bridge ${bridge?.customerRef} alone`)
  }
  await next()
})
