import { once } from "node:events"
import type { AddressInfo, Server } from "node:net"
import { basename, dirname } from "node:path"
import { listenAtSocket } from "#core/platform/local-socket.ts"
import { CannotStart } from "#dynamodb-on-sqlite/cannot-start.ts"

export { stopListening } from "#dynamodb-on-sqlite/listen.ts"

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
 * Makes a server listen at a socket, by its path, in a folder that this user alone can open. It returns the
 * address for clients: `http://` and the socket's name.
 * @throws CannotStart where there can be no sockets
 */
export function atSocket(path: string): (server: Server) => Promise<string> {
  return async (server) => {
    try {
      await listenAtSocket(server, path)
    } catch (error) {
      const why = `${dirname(path)} cannot hold sockets (${(error as NodeJS.ErrnoException).code})`
      throw new CannotStart(`${why}: choose a folder on a disk of this machine with DATA_DIR=...`, {
        cause: error,
      })
    }
    return `http://${basename(path)}`
  }
}
