import { isIP } from "node:net"

/** Endings of names that cannot be registered on the internet: RFC 6761, and ICANN's board on `.internal`. */
const notOnTheInternet = /\.(?:localhost|internal)$/

/**
 * Whether a request's `Host` can be a name of this service. A page on the internet can let its own name lead
 * to this machine (DNS rebinding), and a browser then takes the service for a part of that page's site. An
 * address cannot be such a name, nor can a name without a dot.
 * @param names those under which the service is reached from elsewhere
 */
export function isOwnName(host: string | undefined, names: readonly string[]): boolean {
  if (!host || !URL.canParse(`http://${host}`)) return false
  const hostname = new URL(`http://${host}`).hostname.replace(/\.$/, "")
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return true
  return !hostname.includes(".") || notOnTheInternet.test(hostname) || names.includes(hostname)
}
