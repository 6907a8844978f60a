import { once } from "node:events"
import type { Server as HttpServer } from "node:http"
import type { AddressInfo, Server } from "node:net"

/**
 * Listens on this machine alone, or at the given host; on any free port if none is given. Returns the port.
 * @throws Error with `EADDRINUSE` if the port is taken
 */
export async function listen(server: Server, port = 0, host = "127.0.0.1"): Promise<number> {
  server.listen(port, host)
  await once(server, "listening")
  return (server.address() as AddressInfo).port // listening on TCP
}

/** Stops listening and closes all connections; resolves when that is done. */
export async function stopListening(server: HttpServer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  // An error would only say that it was closed already.
  server.close(() => resolve())
  server.closeAllConnections()
  await promise
}
