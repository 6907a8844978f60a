import { el } from "../wire/node.ts"
import type { Answer } from "./receive.ts"

/** Where to bring and fetch files. */
export const mediaConnection: Answer = (network) => [
  el("media_conn", { auth: "simulated", ttl: 3600, auth_ttl: 21_600, max_buckets: 12 }, [
    el("host", { hostname: network.media.host, type: "primary", maxContentLengthBytes: 100_000_000 }),
  ]),
]
