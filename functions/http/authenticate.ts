import type { Context } from "hono"
import { createMiddleware } from "hono/factory"
import { ApiKey } from "#core/account/api-key.ts"
import { ApiError } from "#core/error.ts"
import { originOf } from "./address.ts"
import type { ApiEnv } from "./contract-router.ts"

/** The key that a call brings; undefined without one. */
export function keyOf(c: Context): string | undefined {
  return /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1]
}

/** Contract, "API keys". The answer is the same whatever is wrong with the key, unless it has expired. */
export const authenticate = createMiddleware<ApiEnv>(async (c, next) => {
  const key = keyOf(c)
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

/** The header from which an agent's program learns where a person can give it a key (RFC 9728, 5.1). */
function challenge(c: Context): string {
  if (c.req.path !== "/mcp") return "Bearer"
  return `Bearer resource_metadata="${originOf(c)}/.well-known/oauth-protected-resource/mcp"`
}
