import type { ClientRequestArgs } from "node:http"
import { Agent } from "node:https"
import type { Duplex } from "node:stream"
import type { Proxy } from "#core/fetch/proxy-tunnel.ts"
import { Connections } from "#core/fetch/safe-fetch.ts"

/** How long dialling through a proxy may take, ms: the proxy, its answer, and the network behind it. */
const dialWithinMs = 15_000

/**
 * Node's agent, which Baileys takes for its socket and for uploads: each connection goes through this proxy.
 */
export function agentThrough(proxy: Proxy, protocol: "https:" | "http:" = "https:"): Agent {
  const connections = new Connections({ proxy })
  return Object.assign(new Agent(), {
    protocol,
    createConnection: (
      { host, port }: ClientRequestArgs,
      onConnected: (error: Error | null, socket?: Duplex) => void,
    ) => {
      const name = host?.includes(":") ? `[${host}]` : host
      const url = new URL(`${protocol}//${name}:${port}`)
      const signal = AbortSignal.timeout(dialWithinMs)
      connections.dial({ url, share: proxy.share, signal }).then(
        (socket) => onConnected(null, socket),
        (error: Error) => onConnected(error),
      )
    },
  })
}
