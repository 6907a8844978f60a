import { join, relative } from "node:path"
import { need } from "./config.ts"

/** Whether this host name means a socket in `SOCKET_DIR`, as `kms.sock` does. No machine has such a name. */
export function isSocket(hostname: string): boolean {
  return hostname.endsWith(".sock")
}

/**
 * The path of a socket in `SOCKET_DIR`, or in another process's. A kernel takes only some hundred bytes, so this is the path from the working
 * folder where that is shorter.
 */
export function socketPath(name: string, folder = need("SOCKET_DIR")): string {
  const path = join(folder, name)
  const fromHere = relative(process.cwd(), path)
  return Buffer.byteLength(fromHere) < Buffer.byteLength(path) ? fromHere : path
}

/** The socket of a session host, by its process. */
export function hostSocket(pid: number): string {
  return `host-${pid}.sock`
}
