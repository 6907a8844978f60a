import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"
import { getRequestListener } from "@hono/node-server"
import { WebSocketServer } from "ws"
import { accept } from "./connection/accept.ts"
import { controlApi } from "./control/api.ts"
import { clientHttp } from "./http-for-clients.ts"
import * as Network from "./network/network.ts"
import type { Patience } from "./network/patience.ts"
import * as StanzaLog from "./network/stanza-log.ts"
import * as Phones from "./phone/create-phone.ts"
import * as Household from "./phone/sandbox-household.ts"
import * as Store from "./storage/store.ts"
import * as Certificates from "./wire/certificates.ts"
import { dropInheritedTokens } from "./wire/node.ts"
import { createTls } from "./wire/x509.ts"

/** A running network. */
export interface Simulator {
  /** Where clients connect, `ws://127.0.0.1:port/ws/chat`, or with the secret before the path. */
  url: string
  /**
   * Where clients connect under TLS, `wss://127.0.0.1:port/ws/chat`. Media is fetched from this port, too.
   */
  tlsUrl: string
  /** Where phones are steered, `http://127.0.0.1:port`. */
  controlUrl: string
  /** The key that a client must trust in the Noise handshake: the public half of the root key, 32 bytes. */
  rootKey: Buffer
  /** The certificate that it must trust for TLS: the authority's, PEM. */
  ca: string
  /** Hangs up on everyone and gives back ports and files. */
  close(): Promise<void>
}

interface Input {
  /** How patient the network is; as usual where nothing is given. */
  patience?: Partial<Patience> | undefined
  /** Where the network is kept; in memory when not given. */
  dataDir?: string | undefined
  /**
   * Everything but media is under `/<secret>`, so that only callers who were told the address reach anything;
   * files of media have names that cannot be guessed. Without a secret, every program on this machine can use
   * the network.
   */
  secret?: string | undefined
  /** The ports; 0, the default, is any free one. */
  port?: number
  tlsPort?: number
  controlPort?: number
}

/** Starts a network. All its ports listen on 127.0.0.1 only. */
export async function startSimulator(input: Input = {}): Promise<Simulator> {
  dropInheritedTokens()
  const store = Store.open(input.dataDir)
  const authority = Store.once(store, "authority", () => Certificates.create())
  const tls = Store.once(store, "tls", () => createTls())
  const network = Network.create({ store, log: StanzaLog.create(), authority, patience: input.patience })
  Phones.turnOnAll(network)
  Household.startAll(network)

  const under = input.secret === undefined ? "" : `/${input.secret}`
  const http = getRequestListener(clientHttp(network, under).fetch)
  const clients = createServer((request, response) => void http(request, response))
  const tlsClients = createTlsServer(tls, (request, response) => void http(request, response))
  const control = getRequestListener(controlApi(network, under).fetch)
  const steering = createServer((request, response) => void control(request, response))
  // Callers close idle connections. If this end did so while the process was busy, it would reset a request
  // on its way.
  steering.keepAliveTimeout = 0
  const sockets = takeSockets(network, [clients, tlsClients], `${under}/ws/chat`)
  const close = async () => {
    const gone = [...sockets.clients].map((socket) => once(socket, "close"))
    for (const socket of sockets.clients) socket.terminate()
    sockets.close()
    await Promise.all(gone)
    await Promise.all([clients, tlsClients, steering].map(shut))
    await Promise.all([...network.phones.values()].map((phone) => phone.settled()))
    store.close()
  }

  try {
    const port = await listen(clients, input.port ?? 0)
    const tlsPort = await listen(tlsClients, input.tlsPort ?? 0)
    const controlPort = await listen(steering, input.controlPort ?? 0)
    network.media.host = `127.0.0.1:${tlsPort}`
    return {
      url: `ws://127.0.0.1:${port}${under}/ws/chat`,
      tlsUrl: `wss://127.0.0.1:${tlsPort}${under}/ws/chat`,
      controlUrl: `http://127.0.0.1:${controlPort}${under}`,
      rootKey: authority.root.public,
      ca: tls.ca,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** WhatsApp Web's own page, as which clients introduce themselves. Browsers let any page open a socket. */
const clientsOrigin = "https://web.whatsapp.com"

function refusalOf({ url, headers: { origin } }: IncomingMessage, path: string): number | undefined {
  if (origin !== undefined && origin !== clientsOrigin) return 403
  return url?.split("?")[0] === path ? undefined : 404
}

function takeSockets(network: Network.Network, servers: Server[], path: string): WebSocketServer {
  const sockets = new WebSocketServer({ noServer: true })
  let connections = 0
  for (const server of servers)
    server.on("upgrade", (request, socket, head) => {
      const refused = refusalOf(request, path) ?? network.faults.strike("refuse_upgrade", "*")?.code
      // A client that hangs up meanwhile is no concern of ours.
      socket.on("error", () => {})
      if (refused) {
        socket.end(`HTTP/1.1 ${refused} ${STATUS_CODES[refused] ?? ""}\r\nContent-Length: 0\r\n\r\n`)
        return
      }
      sockets.handleUpgrade(request, socket, head, (opened) =>
        accept(network, opened, `connection ${++connections}`),
      )
    })
  return sockets
}

function listen(server: Server, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  server.once("error", reject)
  // A server that listens on a port has an address of this form.
  server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  return promise
}

function shut(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  server.closeAllConnections()
  return promise
}
