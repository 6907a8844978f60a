import { once } from "node:events"
import { chmodSync, rmSync } from "node:fs"
import type { Server as HttpServer } from "node:http"
import type { AddressInfo, Server } from "node:net"
import { basename } from "node:path"

/**
 * Listens on this machine alone, or at the given host; on any free port if none is given. Returns the port.
 * @throws Error with `EADDRINUSE` if the port is taken
 */
export async function listen(server: Server, port = 0, host = "127.0.0.1"): Promise<number> {
  server.listen(port, host)
  await once(server, "listening")
  return (server.address() as AddressInfo).port // listening on TCP
}

/** Where a service for this machine listens: at a socket, or on a port, any free one if it is not given. */
export interface At {
  /** The path of a socket whose folder this user alone can open. Who last listened there has ended. */
  socket?: string | undefined
  port?: number | undefined
}

/**
 * Listens there. Returns the address for clients: `http://127.0.0.1:port`, or `http://` and the socket's name.
 * @throws Error with `EADDRINUSE` if the port is taken
 */
export async function listenAt(server: Server, { socket, port }: At): Promise<string> {
  if (socket === undefined) return `http://127.0.0.1:${await listen(server, port)}`
  rmSync(socket, { force: true })
  server.listen(socket)
  await once(server, "listening")
  chmodSync(socket, 0o600)
  return `http://${basename(socket)}`
}

/** Stops listening and closes all connections; resolves when that is done. */
export async function stopListening(server: HttpServer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  // An error would only say that it was closed already.
  server.close(() => resolve())
  server.closeAllConnections()
  await promise
}
