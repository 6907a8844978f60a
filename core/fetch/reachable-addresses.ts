import { isIP } from "node:net"
import ipaddr from "ipaddr.js"
import { config } from "../platform/config.ts"

/**
 * ipaddr.js takes IPv4-compatible addresses (`::/96`) for unicast. All assigned addresses are in this range.
 */
const assigned = ipaddr.parseCIDR("2000::/3")

/** Whether a stranger's URL may lead to this address: a public one, or one in URL_ALLOW. */
export function mayReach(address: string): boolean {
  const ip = unwrapped(address)
  if (!ip) return false
  const isAllowed = config.URL_ALLOW.some(
    ([range, bits]) => range.kind() === ip.kind() && ip.match(range, bits),
  )
  if (isAllowed) return true
  return ip.range() === "unicast" && (ip.kind() === "ipv4" || ip.match(assigned))
}

/** Whether a stranger's URL may name this host at all, before any look-up. An IP address needs none. */
export function mayName(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "")
  if (isIP(bare)) return mayReach(bare)
  // If URL_ALLOW opens this machine, its names are judged by their addresses alone.
  return config.URL_ALLOW.length > 0 || !/(?:^|\.)(?:localhost|local|internal)\.?$/i.test(host)
}

/** Judges an IPv4 address written as an IPv6 one as the IPv4 address. */
function unwrapped(address: string) {
  const bare = address.split("%")[0] ?? ""
  if (!ipaddr.isValid(bare)) return undefined
  return ipaddr.process(bare)
}
