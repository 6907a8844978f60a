import { createHash, timingSafeEqual } from "node:crypto"
import type { HttpBindings } from "@hono/node-server"
import type { Context } from "hono"
import type { LambdaEvent } from "hono/aws-lambda"
import ipaddr from "ipaddr.js"
import { config } from "#core/config.ts"

/** Of Node's server, or of Lambda. */
type Env = Partial<HttpBindings> & { event?: LambdaEvent }

/**
 * Whom a request is counted against: its caller's address as nobody can forge it, an IPv6 one by its /64, which one
 * customer has to himself. Behind the router it is in a header, which counts only beside the router's secret.
 */
export function addressOf(c: Context): string {
  return networkOf(viewerOf(c) ?? peerOf((c.env ?? {}) as Env)) // what the doors pass along
}

function viewerOf(c: Context): string | undefined {
  const { ROUTER_SECRET: ours } = config
  const theirs = c.req.header("x-router-secret")
  if (!ours || !theirs || !timingSafeEqual(digest(ours), digest(theirs))) return undefined
  return c.req.header("x-viewer-address")
}

/** Never of `X-Forwarded-For`: its first address is whatever the caller wrote. */
function peerOf(env: Env): string {
  const context = env.event?.requestContext
  if (context && "http" in context) return context.http.sourceIp ?? ""
  return env.incoming?.socket.remoteAddress ?? ""
}

function networkOf(address: string): string {
  const bare = address.split("%")[0] ?? ""
  // Counted together.
  if (!ipaddr.isValid(bare)) return "unknown"
  const ip = ipaddr.process(bare)
  if (ip.kind() === "ipv4") return ip.toString()
  return `${ip.toNormalizedString().split(":").slice(0, 4).join(":")}::/64`
}

/** Of equal length, as the comparison wants them. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
