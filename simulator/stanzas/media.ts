import type { Network } from "../network/network.ts"
import { el, type Node } from "../wire/node.ts"

/** Where to bring and fetch files. */
export function mediaConnection(network: Network): Node[] {
  return [
    el("media_conn", { auth: "simulated", ttl: 3600, auth_ttl: 21_600, max_buckets: 12 }, [
      el("host", { hostname: network.media.host, type: "primary", maxContentLengthBytes: 100_000_000 }),
    ]),
  ]
}
