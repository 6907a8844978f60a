import type { Context } from "hono"
import { createMiddleware } from "hono/factory"
import { ApiKey } from "#core/account/api-key.ts"
import { ApiError, mustBeHere } from "#core/error.ts"
import type { ApiEnv } from "./contract-router.ts"
import { originOf } from "./address.ts"
import { mayCreateSandbox } from "./scope.ts"
import { Bridge } from "#core/bridge/bridge.ts"

/** Contract, "API keys". The answer is the same, whatever is wrong with the key, but that it has expired. */
export const authenticate = createMiddleware<ApiEnv>(async (c, next) => {
  const key = /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1]
  const owner = key && (await ApiKey.verify(key))
  if (!owner || owner === "expired") {
    const sentence =
      owner === "expired" ? "this API key has expired: create another one in the dashboard" : undefined
    // The call is among the requests of the account whose key it was.
    const former = key && (await ApiKey.formerOwner(key))
    if (former) {
      c.set("accountId", former.accountId)
      c.set("keyId", former.keyId)
    }
    throw new ApiError("unauthorized", sentence, { headers: { "www-authenticate": challenge(c) } })
  }
  c.set("accountId", owner.accountId)
  c.set("keyId", owner.keyId)
  c.set("access", owner)
  await ApiKey.noteUse(owner)
  await next()
})

/** An agent's program learns from it where a person can give it a key (RFC 9728, 5.1). */
function challenge(c: Context): string {
  if (c.req.path !== "/mcp") return "Bearer"
  return `Bearer resource_metadata="${originOf(c)}/.well-known/oauth-protected-resource/mcp"`
}

/** What one may still do with a bridge that has moved: look at it, and delete what is left of it. */
const ofBridgeItself = /^\/api\/instances\/[^/]+$/

/** Refuses calls to a bridge that another service has. @throws ApiError `bridge_moved` */
export const bridgeIsHere = createMiddleware<ApiEnv>(async (c, next) => {
  const isAllowed = ofBridgeItself.test(c.req.path) && ["GET", "DELETE"].includes(c.req.method)
  if (!isAllowed) mustBeHere(c.var.bridge)
  await next()
})

/** Finds the bridge that a path names, for its owner only. @throws ApiError `not_found` */
export const bridgeOfPath = createMiddleware<ApiEnv, "/api/instances/:customer_ref/*">(async (c, next) => {
  const { accountId, access } = c.var
  c.set("bridge", await Bridge.get(accountId, c.req.param("customer_ref"), mayCreateSandbox(access)))
  await next()
})
