import { Host } from "#core/lease/host.ts"

/** An account may call RunTask 20 times a second. The rest is started at the next look. */
const startedAtOnce = 20
/**
 * How many hosts of a fleet are replaced at a time: a tenth, at least one and at most ten, since each moves
 * its sessions.
 */
const replacedAtOnce = { share: 0.1, most: 10 }
/** How many suspects are tried at a time, each for a minute on its own host: all bridges may be suspects. */
const triedAtOnce = 5

/** The hosts of one network, and what is required of them. */
export interface Fleet {
  /** The hosts that are alive or starting. */
  hosts: Host.Info[]
  /** The task definition of new hosts. Hosts with an older one are replaced. */
  definition: string
  /** How many bridges want a host and may share one. */
  wanting: number
  /** How many suspects have waited long enough; only a host without any session takes one. */
  suspects: number
  /** How many sessions there must be room for beyond those that bridges need now. */
  spare: number
  /** How many sessions one host takes. */
  capacity: number
}

/**
 * How many hosts to start. There must be room for the `wanting` bridges, an empty host for each suspect, a
 * new place for the sessions of draining hosts and of the next old ones, and `spare` room left over.
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

/** The old hosts whose sessions may move now: there is room for them, those already moving, and the spare. */
export function oldHostsToDrain(fleet: Fleet): Host.Info[] {
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
 * A surplus host: the others have room for its sessions, the spare, and half a host more, so that the next
 * few bridges do not start it again.
 */
export function surplusHost(fleet: Fleet): Host.Info | undefined {
  const isSettled =
    fleet.wanting + fleet.suspects === 0 && fleet.hosts.every((host) => isUp(host) && !isOld(host, fleet))
  if (!isSettled) return undefined
  // A host that holds a suspect has no room, and must be left alone.
  const [least] = bySessions(
    fleet.hosts.filter((host) => host.sessions === 0 || host.capacity >= fleet.capacity),
  )
  if (!least) return undefined
  const others = fleet.hosts.filter((host) => host !== least)
  return roomOf(others) >= least.sessions + fleet.spare + fleet.capacity / 2 ? least : undefined
}

/** The hosts to replace next, fewest sessions first, so that few sessions move. */
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

/** Whether the host is trying a suspect: it then has no room for anything else. */
function tries({ sessions, capacity }: Host.Info, fleet: Fleet): boolean {
  return sessions === 1 && capacity === 1 && fleet.capacity > 1
}

/** Whether the host has an old definition. Hosts that were started by hand are never replaced. */
function isOld(host: Host.Info, fleet: Pick<Fleet, "definition">): boolean {
  return Host.isOwnedBySweep(host) && host.definition !== fleet.definition
}
