import { createServer, type Server, STATUS_CODES } from "node:http"
import type { AddressInfo } from "node:net"
import { getRequestListener } from "@hono/node-server"
import { WebSocketServer } from "ws"
import { accept } from "./connection.ts"
import { controlApi } from "./control/api.ts"
import * as Log from "./log.ts"
import * as Network from "./network/network.ts"
import * as Phones from "./phone/phones.ts"
import * as Store from "./store.ts"
import * as Certificates from "./wire/certificates.ts"

/** A running network. */
export type Simulator = {
  /** Where clients connect, `ws://127.0.0.1:port/ws/chat`. */
  url: string
  /** Where phones are steered, `http://127.0.0.1:port`. */
  controlUrl: string
  /** What a client must trust: the public half of the root key, 32 bytes. */
  rootKey: Buffer
  /** Hangs up on everyone and gives back ports and files. */
  close(): Promise<void>
}

/** Both listen on 127.0.0.1 only. Port 0 (the default) is any free one; without a directory all is in memory. */
export async function startSimulator(
  input: { dataDir?: string | undefined; port?: number; controlPort?: number } = {},
): Promise<Simulator> {
  const store = Store.open(input.dataDir)
  const authority = Store.once(store, "authority", () => Certificates.create())
  const network = Network.create({ store, log: Log.open(), authority })
  Phones.turnOnAll(network)

  const clients = createServer((_request, response) => response.writeHead(404).end())
  const sockets = new WebSocketServer({ noServer: true })
  let connections = 0
  clients.on("upgrade", (request, socket, head) => {
    const fault = network.faults.strike("refuse_upgrade", "*")
    const refused = request.url?.startsWith("/ws/chat") ? fault?.code : 404
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
  const listener = getRequestListener(controlApi(network).fetch)
  const control = createServer((request, response) => void listener(request, response))

  try {
    const port = await listen(clients, input.port ?? 0)
    const controlPort = await listen(control, input.controlPort ?? 0)
    return {
      url: `ws://127.0.0.1:${port}/ws/chat`,
      controlUrl: `http://127.0.0.1:${controlPort}`,
      rootKey: authority.root.public,
      async close() {
        for (const socket of sockets.clients) socket.terminate()
        sockets.close()
        await Promise.all([shut(clients), shut(control)])
        await Promise.all([...network.phones.values()].map((phone) => phone.settled()))
        store.close()
      },
    }
  } catch (error) {
    clients.close()
    store.close()
    throw error
  }
}

function listen(server: Server, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  server.once("error", reject)
  server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  return promise
}

function shut(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  server.closeAllConnections()
  return promise
}
