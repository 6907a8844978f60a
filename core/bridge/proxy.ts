export * as Proxy from "./proxy.ts"

import { z } from "zod"
import { invalid, issuesOf } from "../error.ts"
import { mayName } from "../fetch/reachable-addresses.ts"
import { open, seal } from "../keys/seal.ts"

/**
 * Contract, "Proxies". Addresses are judged as those of webhooks are, and again each time the proxy is
 * dialled.
 */
const ProxyUrl = z
  .string()
  .max(2048, "at most 2,048 characters")
  .refine((url) => !/[\s\p{Cc}]/u.test(url), "must have no spaces or line breaks: write a space as %20")
  .refine((url) => URL.canParse(url), "not a URL")
  .transform((url) => new URL(url))
  .refine(
    ({ protocol }) => ["http:", "https:", "socks5:"].includes(protocol),
    "must begin with http://, https:// or socks5://",
  )
  .refine(
    ({ hostname, pathname, search, hash }) =>
      hostname !== "" && (pathname === "" || pathname === "/") && search === "" && hash === "",
    "must have a host, and nothing after its port",
  )
  .refine((url) => url.port !== "0", "port 0 cannot be dialled: give the proxy's port, or none")
  .refine(isDecodable, "a % in the user name or password is written as %25")
  .refine(
    ({ hostname }) => mayName(hostname),
    "this address is not public: use one that is, or ask the operator of this service to allow it (URL_ALLOW)",
  )

function isDecodable({ username, password }: URL): boolean {
  try {
    // RFC 1929: at most 255 bytes each.
    return [username, password].every((part) => Buffer.byteLength(decodeURIComponent(part)) <= 255)
  } catch {
    return false
  }
}

/** The key that a proxy is sealed for. The sealed proxy is in the lease's row. */
function itemOf(bridgeId: string) {
  return { pk: `BRIDGE#${bridgeId}`, sk: "PROXY" }
}

/** A proxy, sealed as the lease keeps it. @throws ApiError `invalid_request` */
export function sealed(given: string, bridgeId: string, deliveryKey: Uint8Array): string {
  const parsed = ProxyUrl.safeParse(given)
  if (!parsed.success) throw invalid(issuesOf(parsed.error, "proxy_url"))
  return Buffer.from(seal(deliveryKey, itemOf(bridgeId), parsed.data.href)).toString("base64")
}

/** A sealed proxy, opened for the session's host. */
export function opened(proxy: string, bridgeId: string, deliveryKey: Uint8Array): URL {
  return new URL(open(deliveryKey, itemOf(bridgeId), Buffer.from(proxy, "base64")).toString())
}
