import type { Host } from "#core/host.ts"

/** RunTask takes 20 a second of all of an account: what is missing then is started at the next look. */
const startedAtOnce = 10

/** How many hosts to start, so that `wanting` bridges find room, suspects an empty host, and `spare` sessions of room are left. */
export function hostsToStart(about: {
  /** Alive or starting. */
  hosts: Host.Info[]
  /** Bridges that want a host. */
  wanting: number
  /** Those of them that only a host without any session takes, and that have waited for their time. */
  suspects: number
  spare: number
  /** Sessions of one host. */
  capacity: number
}): number {
  const taking = about.hosts.filter((host) => host.state === "starting" || host.state === "up")
  const room = taking.reduce((sum, host) => sum + Math.max(0, host.capacity - host.sessions), 0)
  const missing = Math.ceil((about.wanting + about.spare - room) / about.capacity)
  const empty = taking.filter((host) => host.sessions === 0).length
  return Math.min(startedAtOnce, Math.max(0, missing, about.suspects - empty))
}
