import { createMiddleware } from "hono/factory"
import { config } from "#core/platform/config.ts"
import { isRouted } from "./address.ts"

/**
 * Where there is a router, what comes past it is refused before anything is counted, logged or looked up: a function's own
 * URL is open to the internet, and the router's firewall does not stand before it.
 */
export const routed = createMiddleware(async (c, next) => {
  if (config.ROUTER_SECRET && !isRouted(c)) return c.body(null, 403)
  return await next()
})
