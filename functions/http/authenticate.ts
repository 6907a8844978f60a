import { createMiddleware } from "hono/factory"
import { ApiKey } from "#core/account/api-key.ts"
import { ApiError } from "#core/error.ts"
import type { ApiEnv } from "./router.ts"

/** Contract, "API keys". The answer is the same, whatever is wrong with the key. */
export const authenticate = createMiddleware<ApiEnv>(async (c, next) => {
  const key = /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1]
  const owner = key && (await ApiKey.verify(key))
  if (!owner) throw new ApiError("unauthorized", undefined, { headers: { "www-authenticate": "Bearer" } })
  c.set("accountId", owner.accountId)
  c.set("keyId", owner.keyId)
  c.set("access", owner)
  await ApiKey.noteUse(owner)
  await next()
})
