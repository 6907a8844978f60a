import { isIP } from "node:net"

/**
 * Whether a request's `Host` can be a name of this service. A page on the internet can let its own name lead to this
 * machine (DNS rebinding), and a browser then takes the service for a part of that page's site. An address cannot be such
 * a name, nor can a name without a dot, which only this machine or its network gives.
 * @param publicUrl where the service is reached from elsewhere, if it is
 */
export function isOwnName(host: string | undefined, publicUrl: string | undefined): boolean {
  if (!host || !URL.canParse(`http://${host}`)) return false
  const { hostname } = new URL(`http://${host}`)
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return true
  if (!hostname.includes(".") || hostname.endsWith(".localhost")) return true
  return publicUrl !== undefined && hostname === new URL(publicUrl).hostname
}
