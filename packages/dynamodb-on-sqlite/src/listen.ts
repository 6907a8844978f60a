import { once } from "node:events"
import type { Server as HttpServer } from "node:http"
import type { AddressInfo, Server } from "node:net"

/**
 * Where a server listens. With `port`, it listens on that port of this machine (0: any free one) and answers
 * every caller there. With a function, it listens wherever the function makes it listen; the function returns
 * the address for clients.
 */
export type At = { port: number } | ((server: Server) => Promise<string>)

/** Listens there. Returns the address for clients. @throws Error with `EADDRINUSE` if the port is taken */
export async function listenAt(server: Server, at: At): Promise<string> {
  if (typeof at === "function") return await at(server)
  server.listen(at.port, "127.0.0.1")
  await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // listening on TCP
}

/** Stops listening and closes all connections; resolves when that is done. */
export async function stopListening(server: HttpServer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  // An error would only say that it was closed already.
  server.close(() => resolve())
  server.closeAllConnections()
  await promise
}
