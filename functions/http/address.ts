import { createHash, timingSafeEqual } from "node:crypto"
import type { HttpBindings } from "@hono/node-server"
import type { Context } from "hono"
import type { LambdaEvent } from "hono/aws-lambda"
import { createMiddleware } from "hono/factory"
import ipaddr from "ipaddr.js"
import { config } from "#core/platform/config.ts"

/** The environment of Node's server or of Lambda. */
type Env = Partial<HttpBindings> & { event?: LambdaEvent }

/**
 * The address that a request is counted against: its caller's, in a form that cannot be forged. IPv6 counts
 * by its /64, since a customer usually has a whole one. Behind the router the address is in a header, which
 * counts only together with the router's secret. Behind a trusted proxy it is the last one of
 * `X-Forwarded-For` that no trusted proxy has.
 */
export function addressOf(c: Context): string {
  return networkOf(viewerOf(c) ?? peerOf(c, (c.env ?? {}) as Env)) // what the doors pass along
}

/** Whether a request brings the router's secret, the current one or the one before. */
function isRouted(c: Context): boolean {
  const theirs = c.req.header("x-router-secret")
  const ours = [config.ROUTER_SECRET, config.ROUTER_SECRET_BEFORE]
  return ours.some((one) => one && theirs && timingSafeEqual(digest(one), digest(theirs)))
}

function viewerOf(c: Context): string | undefined {
  return isRouted(c) ? c.req.header("x-viewer-address") : undefined
}

/** Never the first of `X-Forwarded-For`, which is whatever the caller wrote. */
function peerOf(c: Context, env: Env): string {
  const context = env.event?.requestContext
  if (context && "http" in context) return context.http.sourceIp ?? ""
  const forwarded = c.req.header("x-forwarded-for")?.split(",") ?? []
  const nearestFirst = [env.incoming?.socket.remoteAddress ?? "", ...forwarded.toReversed()]
  return nearestFirst.find((address) => !isProxy(address.trim())) ?? nearestFirst.at(-1)!
}

function isProxy(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const ip = ipaddr.process(address)
  return config.TRUST_PROXY.some((range) => range[0].kind() === ip.kind() && ip.match(range))
}

function networkOf(address: string): string {
  const bare = address.trim().split("%")[0] ?? ""
  // All invalid addresses are counted together.
  if (!ipaddr.isValid(bare)) return "unknown"
  const ip = ipaddr.process(bare)
  if (ip.kind() === "ipv4") return ip.toString()
  return `${ip.toNormalizedString().split(":").slice(0, 4).join(":")}::/64`
}

/**
 * Where people reach this service: at its public address, if it has one; otherwise as their browsers say it.
 * Behind the router that is the router's own host, which it passes along; the host of a function stays
 * private.
 */
export function originOf(c: Context): string {
  if (config.PUBLIC_URL !== "") return new URL(config.PUBLIC_URL).origin
  const host = isRouted(c) ? c.req.header("x-forwarded-host") : undefined
  return host === undefined ? new URL(c.req.url).origin : `https://${host}`
}

/** The names of a person's own machine, as URLs have them. */
export const loopbackNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"])

/**
 * The same place by its one name. A service without a public address answers at several names of its own
 * machine, but its pages are at `localhost` alone: passkeys do not work at an IP address, and `localhost`
 * does not get the cookies of `127.0.0.1`. An OAuth client compares the issuer of its answer with the one
 * that it found (RFC 9207), so that has this name too.
 */
export function atOneName(url: URL): URL {
  const named = new URL(url)
  if (config.PUBLIC_URL === "" && loopbackNames.has(url.hostname)) named.hostname = "localhost"
  return named
}

/** Hashed so that both sides have the length that the comparison needs. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}

/**
 * Where there is a router, a request that did not come through it is refused before anything is counted,
 * logged or looked up. A function's own URL is open to the internet, and the router's firewall does not
 * protect it.
 */
export const routed = createMiddleware(async (c, next) => {
  if (config.ROUTER_SECRET && !isRouted(c)) return c.body(null, 403)
  return await next()
})
