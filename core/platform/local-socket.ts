import { once } from "node:events"
import { chmodSync, rmSync } from "node:fs"
import type { Server } from "node:net"
import { join } from "node:path"
import { need } from "./config.ts"

/** Whether this host name means a socket in `SOCKET_DIR`, as `kms.sock` does. No machine has such a name. */
export function namesSocket(hostname: string): boolean {
  return hostname.endsWith(".sock")
}

/** The path of a socket in `SOCKET_DIR`, or in another process's. */
export function socketPath(name: string, folder = need("SOCKET_DIR")): string {
  return join(folder, name)
}

/** The socket of a session host, by its process. */
export function hostSocket(pid: number): string {
  return `host-${pid}.sock`
}

/**
 * More than any kernel allows: where the queue of a socket is full, a connection fails at once, while one to
 * a port waits.
 */
const backlog = 65_535

/** Listens at a socket that this user alone can open. Who last listened there has ended. */
export async function listenAtSocket(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true })
  server.listen({ path, backlog })
  await once(server, "listening")
  chmodSync(path, 0o600)
}
