import type { Host } from "#core/host.ts"

/** RunTask takes 20 a second of all of an account: what is missing then is started at the next look. */
const startedAtOnce = 10
/** Of the hosts there are, so many are replaced at a time, but one at least and ten at most: each moves its sessions. */
const replacedAtOnce = { share: 0.1, most: 10 }
/** Suspects that are tried at a time, each at a host of its own for a minute: all bridges of a host may be suspects. */
const triedAtOnce = 5

/** The hosts of one network, and what is wanted of them. */
export interface Fleet {
  /** Alive or starting. */
  hosts: Host.Info[]
  /** What new hosts are started from: hosts of an older one are replaced. */
  definition: string
  /** Bridges that want a host, and may share it. */
  wanting: number
  /** Those that only a host without any session takes, and that have waited for their time. */
  suspects: number
  /** Sessions for which there is to be room although no bridge needs it yet. */
  spare: number
  /** Sessions of one host. */
  capacity: number
}

/**
 * How many hosts to start, so that `wanting` bridges find room, suspects an empty host, the sessions of hosts that drain
 * and of the next old ones a new one, and `spare` sessions of room are left.
 */
export function hostsToStart(fleet: Fleet): number {
  const taking = fleet.hosts.filter(
    (host) => !isOld(host, fleet) && (isUp(host) || host.state === "starting"),
  )
  const wanting = fleet.wanting + sessionsOf(draining(fleet)) + sessionsOf(nextOld(fleet))
  const missing = Math.ceil((wanting + fleet.spare - roomOf(taking)) / fleet.capacity)
  const empty = taking.filter((host) => host.sessions === 0).length
  const suspects = Math.min(fleet.suspects, triedAtOnce - taking.filter((host) => tries(host, fleet)).length)
  return Math.min(startedAtOnce, Math.max(0, missing, suspects - empty))
}

/** The old hosts whose sessions may move now: not before there is room for them, for those that move, and the spare. */
export function oldToDrain(fleet: Fleet): Host.Info[] {
  const others = fleet.hosts.filter((host) => isUp(host) && !isOld(host, fleet))
  let room = roomOf(others) - fleet.wanting - fleet.spare - sessionsOf(draining(fleet))
  const now: Host.Info[] = []
  for (const old of nextOld(fleet)) {
    room -= old.sessions
    if (room < 0) break
    now.push(old)
  }
  return now
}

/**
 * A host too many: without it there is room for its sessions, the spare, and half a host more, so that the next few
 * bridges do not have it started again.
 */
export function surplus(fleet: Fleet): Host.Info | undefined {
  const isSettled =
    fleet.wanting + fleet.suspects === 0 && fleet.hosts.every((host) => isUp(host) && !isOld(host, fleet))
  if (!isSettled) return undefined
  // One that holds a suspect has no room, and must be left alone.
  const [least] = bySessions(
    fleet.hosts.filter((host) => host.sessions === 0 || host.capacity >= fleet.capacity),
  )
  if (!least) return undefined
  const others = fleet.hosts.filter((host) => host !== least)
  return roomOf(others) >= least.sessions + fleet.spare + fleet.capacity / 2 ? least : undefined
}

/** Those that are to be replaced next, fewest sessions first: the fewer move, the better. */
function nextOld(fleet: Fleet): Host.Info[] {
  const { share, most } = replacedAtOnce
  const atOnce = Math.min(most, Math.max(1, Math.floor(fleet.hosts.length * share)))
  const old = bySessions(fleet.hosts.filter((host) => isUp(host) && isOld(host, fleet)))
  return old.slice(0, Math.max(0, atOnce - draining(fleet).length))
}

function draining(fleet: Fleet): Host.Info[] {
  return fleet.hosts.filter((host) => host.state === "draining")
}

function sessionsOf(hosts: Host.Info[]): number {
  return hosts.reduce((sum, host) => sum + host.sessions, 0)
}

function bySessions(hosts: Host.Info[]): Host.Info[] {
  return hosts.toSorted((a, b) => a.sessions - b.sessions)
}

function roomOf(hosts: Host.Info[]): number {
  return hosts.reduce((sum, host) => sum + Math.max(0, host.capacity - host.sessions), 0)
}

function isUp(host: Host.Info): boolean {
  return host.state === "up"
}

/** One that holds a suspect has no room for anything else. */
function tries({ sessions, capacity }: Host.Info, fleet: Fleet): boolean {
  return sessions === 1 && capacity === 1 && fleet.capacity > 1
}

/** Hosts that were started by hand are nobody's to replace. */
function isOld(host: Host.Info, fleet: Pick<Fleet, "definition">): boolean {
  return host.definition !== "" && host.definition !== fleet.definition
}
