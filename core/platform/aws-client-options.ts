import { Agent, type AgentOptions, type ClientRequestArgs } from "node:http"
import { connect } from "node:net"
import { namesSocket, socketPath } from "./local-socket.ts"

/**
 * Connections over plain http, which only stand-ins for AWS on this machine speak: many answer at a socket.
 */
class LocalAgent extends Agent {
  readonly #folder: string | undefined

  constructor(options: AgentOptions, folder: string | undefined) {
    super(options)
    this.#folder = folder
  }

  override createConnection(options: ClientRequestArgs, callback?: Parameters<Agent["createConnection"]>[1]) {
    const { host } = options
    return host && namesSocket(host)
      ? connect(socketPath(host, this.#folder))
      : super.createConnection(options, callback)
  }
}

/**
 * The agent for requests over plain http. `folder`: where the sockets are, if not in this process's
 * `SOCKET_DIR`.
 */
export function localAgent(options: AgentOptions, folder?: string): Agent {
  return new LocalAgent(options, folder)
}

/**
 * How long an AWS client waits for one answer, in ms, and how it connects. The SDK's own time-out only warns,
 * so without this a request that is never answered waits for ever.
 */
export const requestTimeouts = {
  requestHandler: {
    connectionTimeout: 2000,
    requestTimeout: 5000,
    throwOnRequestTimeout: true,
    httpAgent: localAgent({ keepAlive: true, maxSockets: 50 }),
  },
}

/** For requests that carry megabytes. */
export const transferTimeouts = {
  requestHandler: { ...requestTimeouts.requestHandler, requestTimeout: 20_000 },
}

/** Whether this address is on this machine. A stand-in answers there and checks no signature. */
export function isOnThisMachine({ hostname }: URL): boolean {
  return (
    namesSocket(hostname) ||
    hostname === "localhost" ||
    hostname === "[::1]" ||
    /^127\.[\d.]+$/.test(hostname)
  )
}

const none = "smithy.api#noAuth"

/**
 * Where a client finds its service: at this endpoint; if undefined, at Amazon's own. The SDK itself finds
 * region and credentials, as Lambda and ECS give them. A stand-in on this machine needs neither, and no
 * signature, which is half the cost of a request.
 */
export function serviceAt(endpoint: string | undefined) {
  if (endpoint === undefined) return {}
  if (!isOnThisMachine(new URL(endpoint))) return { endpoint }
  const signer = { sign: async <Request>(request: Request) => request }
  return {
    endpoint,
    region: "local",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    httpAuthSchemes: [{ schemeId: none, identityProvider: () => async () => ({}), signer }],
    httpAuthSchemeProvider: () => [{ schemeId: none }],
  }
}
