import { once } from "node:events"
import type { Server as HttpServer } from "node:http"
import type { AddressInfo, Server } from "node:net"
import { basename, dirname } from "node:path"
import { listenAtSocket } from "#core/platform/local-socket.ts"
import { CannotStart } from "./service/settings.ts"

/**
 * Listens on this machine alone, or at the given host; on any free port if none is given. Returns the port.
 * @throws Error with `EADDRINUSE` if the port is taken
 */
export async function listen(server: Server, port = 0, host = "127.0.0.1"): Promise<number> {
  server.listen(port, host)
  await once(server, "listening")
  return (server.address() as AddressInfo).port // listening on TCP
}

/**
 * Where a stand-in for AWS listens: at a socket, by its path, in a folder that this user alone can open; or on a port, 0 is
 * any free one, where it answers everybody on this machine.
 */
export type At = { socket: string } | { port: number }

/**
 * Listens there. Returns the address for clients: `http://127.0.0.1:port`, or `http://` and the socket's name.
 * @throws Error with `EADDRINUSE` if the port is taken; CannotStart where there can be no sockets
 */
export async function listenAt(server: Server, at: At): Promise<string> {
  if ("port" in at) return `http://127.0.0.1:${await listen(server, at.port)}`
  try {
    await listenAtSocket(server, at.socket)
  } catch (error) {
    const why = `${dirname(at.socket)} cannot hold sockets (${(error as NodeJS.ErrnoException).code})`
    throw new CannotStart(`${why}: choose a folder on a disk of this machine with DATA_DIR=...`, {
      cause: error,
    })
  }
  return `http://${basename(at.socket)}`
}

/** Stops listening and closes all connections; resolves when that is done. */
export async function stopListening(server: HttpServer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  // An error would only say that it was closed already.
  server.close(() => resolve())
  server.closeAllConnections()
  await promise
}
