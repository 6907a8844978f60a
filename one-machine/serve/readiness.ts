import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { nowMs } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { DiskRoom } from "#core/platform/disk-room.ts"
import { putRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"

/** Whether each part of the service works, for a balancer or a supervisor. */
export interface Readiness {
  /** It takes writes. */
  store: boolean
  /** All hosts beat, and no bridge waits while there is no host. */
  hosts: boolean
  /** There is room on the disk for sends. */
  room: boolean
}

/** A host that has missed so many beats is about to be declared dead. */
const silentBeats = 4

/**
 * For how long an answer is given again, in ms: however often `/readyz` is asked, the store is not written to
 * more often.
 */
const believedMs = 1000
let latest: { atMs: number; readiness: Promise<Readiness> } | undefined

export async function readiness(): Promise<Readiness> {
  if (!latest || performance.now() - latest.atMs > believedMs)
    latest = { atMs: performance.now(), readiness: measure() }
  return await latest.readiness
}

async function measure(): Promise<Readiness> {
  const [store, hosts] = await Promise.all([mayWrite().catch(() => false), hostsBeat().catch(() => false)])
  return { store, hosts, room: DiskRoom.hasRoom() }
}

async function mayWrite(): Promise<boolean> {
  const expires_at = Math.ceil(nowMs() / 1000) + 60
  await putRow({ TableName: tables.requests, Item: { pk: "READY", sk: "READY", expires_at } })
  return true
}

async function hostsBeat(): Promise<boolean> {
  const hosts = (await Host.list()).filter(({ state }) => state === "up" || state === "starting")
  const latestMs = nowMs() - silentBeats * config.LEASE_BEAT_MS
  const silent = hosts.filter(({ state, beatAt }) => state === "up" && beatAt * 1000 < latestMs)
  if (silent.length > 0) return false
  return hosts.some(({ state }) => state === "up") || (await Lease.listByHost(Lease.FREE)).length === 0
}
