import type { MiddlewareHandler } from "hono"
import { ControlError } from "./errors.ts"

/** Refuses pages of other sites, which a browser lets write to loopback, and other names for this address. */
export const onlyFromHere: MiddlewareHandler = async (c, next) => {
  const host = c.req.header("host") ?? ""
  const origin = c.req.header("origin")
  const foreign = origin !== undefined && origin !== `http://${host}`
  if (foreign || !/^(127\.0\.0\.1|localhost)(:\d+)?$/i.test(host))
    throw new ControlError(403, "foreign_origin", "only pages of this address may steer")
  await next()
}
