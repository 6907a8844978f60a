export * as Lease from "./lease.ts"

import { randomUUID } from "node:crypto"
import { z } from "zod"
import type { Status } from "#contract/status-and-objection.ts"
import type { Choice } from "../bridge/choice.ts"
import { nowMs, timeLeft } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { batchGet, getRow, pages, query } from "../store/store.ts"
import { bridgeIdOf, tables } from "../store/tables.ts"
import { change, FREE, partsOfFree, fromRow, GONE, type Info, key, Network, STOPPED } from "./lease-row.ts"

export {
  FREE,
  GONE,
  type Held,
  Info,
  key,
  looksForAllFree,
  Network,
  STOPPED,
  Reason,
  Reported,
  type Refusal,
  newRow,
} from "./lease-row.ts"
export { freeFromDead, heldCheck, release, acquire } from "./acquire-and-release.ts"
export {
  countLogin,
  noteHealthy,
  noteMadeAnew,
  noteProven,
  noteRestart,
  reportStatus,
  reportUse,
  resetLogins,
  useSkip,
} from "./session-notes.ts"
export { makeAnew, pauseIdle, skipMessage, stop, wake, whyStopped } from "./stop-reasons.ts"
export { claimRemoval, ending, removalClaimLeft } from "./end-and-claim-removal.ts"
export {
  arriving,
  claimArrival,
  claimLeaving,
  finishLeaving,
  importCheck,
  leaving,
  returning,
} from "./moving.ts"

export async function get(bridgeId: string): Promise<Info | undefined> {
  const row = await getRow(tables.leases, key(bridgeId))
  return row && fromRow(row)
}

/** The leases of these bridges, by the bridges' ids. */
export async function byIds(bridgeIds: string[]): Promise<Map<string, Info>> {
  const rows = await batchGet(bridgeIds.map((id) => ({ table: tables.leases, key: key(id) })))
  return new Map(rows.flatMap((row) => (row ? [fromRow(row)] : [])).map((lease) => [lease.bridgeId, lease]))
}

/** Whether a host holds it, dead or alive. */
export function isHeld(lease: Info): boolean {
  return lease.host !== FREE && lease.host !== STOPPED && lease.host !== GONE
}

/** The state of a bridge (Contract, "Bridges"), which is stored nowhere else. */
export function stateOf(lease: Info): "running" | "paused" | "suspended" | "moved" {
  if (lease.host !== STOPPED) return "running"
  if (lease.stopped.includes("moved")) return "moved"
  return lease.stopped.includes("suspended") ? "suspended" : "paused"
}

/**
 * The status that the present holder's session reports; undefined if no host holds it, or before the first
 * report.
 */
export function statusOf(lease: Info): Status | undefined {
  return isHeld(lease) && lease.reported?.epoch === lease.epoch ? lease.reported.status : undefined
}

/**
 * From so many on, a bridge is a suspect: sessions in a row that ended by themselves within a minute, or
 * hosts in a row that died with it. Of the bridges on one dead host, only those that were also on another
 * have two deaths.
 */
const suspectFrom = { failures: 3, deaths: 2 }

/** Whether a bridge may be what kills its hosts: then only a host that holds nothing else may try it. */
export function isSuspect(lease: Pick<Info, "failures" | "deaths">): boolean {
  return lease.failures >= suspectFrom.failures || lease.deaths >= suspectFrom.deaths
}

/** Whether the last session ended unplanned: by an error of its own, or with its host. */
export function lastSessionFailed({ failedAt, startedMs }: Info): boolean {
  return failedAt > 0 && failedAt >= Math.floor(startedMs / 1000)
}

/**
 * From when on a suspect may be tried again: 10 s x failures², at most ten minutes, at 5 s a beat. Deaths
 * beside other bridges cost no time: tried alone, the bridge can harm no other, and it may not be to blame.
 * Unix seconds; 0: at any time.
 */
export function triedAgainAt(lease: Pick<Info, "failures" | "failedAt">, at = nowMs() / 1000): number {
  return after(lease.failedAt, Math.min(120, 2 * lease.failures ** 2), at)
}

/** The time that is so many beats after `start`, Unix seconds; 0 if it is past at `at`. */
function after(start: number, beats: number, at: number): number {
  const wait = (beats * config.LEASE_BEAT_MS) / 1000
  return timeLeft(start + wait, wait, at) > 0 ? start + wait : 0
}

/** How many logins in a row may fail before the next has to wait. Numbers that keep logging in are banned. */
const loginsAtWill = 5
/** A minute, at 5 s a beat. */
const beatsBetweenLogins = 12

/**
 * The session must not log in again before this time, whichever host holds it. Unix seconds; 0: at any time.
 */
export function loginAgainAt(
  { logins, loginAt }: Pick<Info, "logins" | "loginAt">,
  at = nowMs() / 1000,
): number {
  if (logins < loginsAtWill) return 0
  return after(loginAt, beatsBetweenLogins, at)
}

/**
 * Every lease whose `host` was this a moment ago (the index is late): read the item itself before acting on
 * one.
 */
export async function listByHost(host: string): Promise<Info[]> {
  const parts = host === FREE ? partsOfFree : [host]
  const found = await Promise.all(parts.map((part) => Array.fromAsync(byHost(part))))
  return found.flat()
}

/** The leases of a network that are free. */
export interface Free {
  /** How many bridges want a host and may share one. */
  wanting: number
  /** The suspects, each of which wants a host of its own. */
  suspects: Pick<Info, "failures" | "failedAt">[]
}

/** The fields that the store answers of a free lease, where it does not only count it. */
const Told = z
  .object({ network: Network, failures: z.number(), deaths: z.number().default(0), failed_at: z.number() })
  .transform(({ failed_at: failedAt, ...told }) => ({ ...told, failedAt }))

/**
 * The leases that were free a moment ago, by network. A hundred thousand may be: the store tells only of
 * suspects and of those of another network than `usual`, and how many it has read for that.
 */
export async function countFree(usual: Network): Promise<Record<Network, Free>> {
  const free = { live: noneFree(), simulated: noneFree() }
  const countPart = async (part: string) => {
    const read = pages({
      TableName: tables.leases,
      IndexName: "byHost",
      KeyConditionExpression: "#host = :host",
      FilterExpression: "network <> :usual OR failures >= :failures OR deaths >= :deaths",
      ProjectionExpression: "network, failures, deaths, failed_at",
      ExpressionAttributeNames: { "#host": "host" },
      ExpressionAttributeValues: {
        ":host": part,
        ":usual": usual,
        ":failures": suspectFrom.failures,
        ":deaths": suspectFrom.deaths,
      },
    })
    for await (const page of read) {
      free[usual].wanting += page.read - page.rows.length
      for (const row of page.rows) {
        const lease = Told.parse(row)
        const counted = free[lease.network]
        if (isSuspect(lease)) counted.suspects.push(lease)
        else counted.wanting++
      }
    }
  }
  await Promise.all(partsOfFree.map(countPart))
  return free
}

function noneFree(): Free {
  return { wanting: 0, suspects: [] }
}

/**
 * Some leases that were free a moment ago: at most `most`, all from one part of the index. Each `turn` is the
 * next part. A part that holds more is read from a random place, so that hosts that look at the same time see
 * different leases.
 */
export async function listSomeFree(turn: number, most: number): Promise<Info[]> {
  const part = partsOfFree[turn % partsOfFree.length]!
  const first = await some(byHost(part, { most }), most)
  if (first.length < most) return first
  const elsewhere = await some(byHost(part, { most, from: key(randomUUID()).pk }), most)
  return elsewhere.length > 0 ? elsewhere : first
}

/**
 * The ids of bridges that may be down: no host has them, or their phone was not connected when that was last
 * reported. The indexes lag, and list no bridge that is well.
 */
export async function listDown(): Promise<string[]> {
  const found = await Promise.all([
    ...partsOfFree.map((_, part) => Array.fromAsync(byDown(part))),
    ...partsOfFree.map((part) => Array.fromAsync(freeIn(part))),
  ])
  return found.flat()
}

async function* freeIn(part: string): AsyncGenerator<string> {
  const rows = query({
    TableName: tables.leases,
    IndexName: "byHost",
    KeyConditionExpression: "#host = :host",
    ProjectionExpression: "pk",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: { ":host": part },
  })
  for await (const { pk } of rows) yield bridgeIdOf(pk)
}

async function* byDown(part: number): AsyncGenerator<string> {
  const rows = query({
    TableName: tables.leases,
    IndexName: "byDown",
    KeyConditionExpression: "#down = :part",
    ExpressionAttributeNames: { "#down": "down" },
    ExpressionAttributeValues: { ":part": part },
  })
  for await (const { pk } of rows) yield bridgeIdOf(pk)
}

async function* byHost(host: string, page?: { most: number; from?: string }): AsyncGenerator<Info> {
  const rows = query({
    TableName: tables.leases,
    IndexName: "byHost",
    KeyConditionExpression: `#host = :host${page?.from ? " AND pk > :from" : ""}`,
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: { ":host": host, ":from": page?.from },
    ...(page && { Limit: page.most }),
  })
  for await (const row of rows) yield fromRow(row)
}

async function some<Item>(items: AsyncIterable<Item>, most: number): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) if (found.push(item) === most) break
  return found
}

/**
 * Writes the customer's choice. The session reads it when it is notified, and now and then.
 * @returns the lease as it is now; undefined when the bridge is deleted, or has moved away.
 */
export async function choose(bridgeId: string, choice: Choice.Given): Promise<Info | undefined> {
  return await change({
    Key: key(bridgeId),
    UpdateExpression: "SET choice = :choice",
    ConditionExpression: "attribute_exists(pk) AND #host <> :gone AND attribute_not_exists(moved_ms)",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: { ":choice": choice, ":gone": GONE },
  })
}
