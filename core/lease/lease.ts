export * as Lease from "./lease.ts"

import { randomUUID } from "node:crypto"
import { z } from "zod"
import { Choice } from "../bridge/choice.ts"
import { now } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { Status } from "../contract/session.ts"
import { get as getRow, query, type Row, transact, update, type Write } from "../store/store.ts"
import { bridgeIdOf, leases } from "../store/tables.ts"

export const Network = z.enum(["live", "simulated"])
export type Network = z.infer<typeof Network>

/** Why a bridge must not run. */
export const Reason = z.enum(["idle", "billing", "manual", "suspended"])
export type Reason = z.infer<typeof Reason>

/** The status that a session reports, since when (Unix seconds), and in which epoch of the lease. */
export const Told = z.object({ status: Status, since: z.number().int(), epoch: z.number().int() })
export type Told = z.infer<typeof Told>

/**
 * Which host holds a bridge. `host` is an id, or one of the three words below. Whoever changes `host` raises `epoch`:
 * every commit of a session checks both, so an old owner can write nothing.
 */
export const Info = z.object({
  bridgeId: z.string(),
  host: z.string(),
  /** Where the holder listens, `host:port`; empty when nobody holds it. */
  addr: z.string(),
  epoch: z.number().int(),
  /** Unplanned ends in a row, each before the session had lived for a minute. */
  failures: z.number().int(),
  /** Hosts that died in a row while they held it, with no session between them that lived for a minute. */
  deaths: z.number().int().default(0),
  /** The epoch whose session has lived for a minute. Its end is no failure, and its host's death begins a new row. */
  provenEpoch: z.number().int(),
  /** Unplanned ends since the last ten healthy minutes (`manager.fail_count`). */
  failCount: z.number().int(),
  network: Network,
  reason: Reason.optional(),
  /** The last call of a customer, written hourly. */
  used: z.number().int(),
  /** Start of the session at its present holder, Unix milliseconds; 0 before the first. */
  startedMs: z.number().int(),
  /** When the last unplanned end was counted, Unix seconds. */
  failedAt: z.number().int(),
  /** Logins in a row, at any host, after none of which the session stayed connected for some minutes. */
  logins: z.number().int().default(0),
  /** When the last of these logins began, Unix seconds. */
  loginAt: z.number().int().default(0),
  /** Set if its host died: how many of that host's bridges another host takes at a look. Undefined: any number. */
  share: z.number().int().optional(),
  /** The customer's choice of events, stored here because the session reads this row. */
  choice: Choice.Info,
  /** Until when one host removes the rows of a deleted bridge, Unix seconds. */
  removedUntil: z.number().int().default(0),
  /** The operator wants the message at the head of its session skipped. */
  skip: z.boolean().optional(),
  /** The last reported status, perhaps of an earlier holder. It lags, and lacks a change that cannot be written. */
  told: Told.optional(),
})
export type Info = z.infer<typeof Info>

/** A lease in the hands of a host, for as long as the epoch is the same. */
export type Held = Pick<Info, "bridgeId" | "host" | "epoch">

/** No host holds it, and one should. Rows hold the name of a part of the index in its place: one of `freeParts`. */
export const FREE = "FREE"
/** The bridge must not run. */
export const NONE = "NONE"
/** The bridge is deleted, and its rows are to be removed. */
export const GONE = "GONE"

/**
 * The parts of the index that free leases are spread over; the last digit of a bridge's id says which is its own. DynamoDB
 * takes 1,000 writes and 3,000 reads a second for one partition key: with a single one, 40,000 bridges whose hosts have
 * died would wait for minutes, and the looks of 6,000 hosts would be refused.
 */
const freeParts = [FREE, "FREE#1", "FREE#2", "FREE#3"]

/** How many looks, one at each part, it takes to see every free lease. */
export const looksForAll = freeParts.length

/** The `host` in the row of this bridge while its lease is free. */
function freeOf(bridgeId: string): string {
  return freeParts[parseInt(bridgeId.slice(-1), 16) % freeParts.length] ?? FREE
}

export function key(bridgeId: string) {
  return { pk: `BRIDGE#${bridgeId}`, sk: "LEASE" }
}

/** The lease of a new bridge, which wants a host. */
export function wanted(bridgeId: string, network: Network = config.HOST_NETWORK): Row {
  return {
    ...key(bridgeId),
    host: freeOf(bridgeId),
    addr: "",
    epoch: 1,
    failures: 0,
    proven_epoch: 0,
    fail_count: 0,
    failed_at: 0,
    network,
    used: now(),
    started_ms: 0,
  }
}

export async function get(bridgeId: string): Promise<Info | undefined> {
  const row = await getRow(leases, key(bridgeId))
  return row && fromRow(row)
}

/** Whether a host holds it, dead or alive. */
export function isHeld(lease: Info): boolean {
  return lease.host !== FREE && lease.host !== NONE && lease.host !== GONE
}

/** The state of a bridge (Contract, "State of a bridge"), which is stored nowhere else. */
export function stateOf(lease: Info): "running" | "paused" | "suspended" {
  if (lease.host !== NONE) return "running"
  return lease.reason === "suspended" ? "suspended" : "paused"
}

/** The status that the present holder's session reports; undefined if nobody holds it, or before the first report. */
export function statusOf(lease: Info): Status | undefined {
  return isHeld(lease) && lease.told?.epoch === lease.epoch ? lease.told.status : undefined
}

/** How many sessions in a row ended before they had lived for a minute, deaths of hosts included. */
const suspectFrom = { failures: 3, deaths: 2 }

/** Whether a bridge may be what kills its hosts: then only a host that holds nothing else may try it. */
export function isSuspect(lease: Info): boolean {
  return lease.failures >= suspectFrom.failures || lease.deaths >= suspectFrom.deaths
}

/** From when on a suspect may be tried again, Unix seconds: 10 s x failures², at most ten minutes, at 5 s a beat. */
export function triedAgainAt(lease: Info): number {
  const beats = Math.min(120, 2 * Math.max(lease.failures, lease.deaths) ** 2)
  return lease.failedAt + (beats * config.LEASE_BEAT_MS) / 1000
}

/** How many logins in a row may fail before the next has to wait. Numbers that keep logging in are banned. */
const loginsAtWill = 5
/** A minute, at 5 s a beat. */
const beatsBetweenLogins = 12

/** The session must not log in again before this time, whichever host holds it. Unix seconds; 0: at any time. */
export function loginAgainAt({ logins, loginAt }: Pick<Info, "logins" | "loginAt">): number {
  if (logins < loginsAtWill) return 0
  return loginAt + (beatsBetweenLogins * config.LEASE_BEAT_MS) / 1000
}

/** Every lease whose `host` was this a moment ago (the index is late): read the item itself before acting on one. */
export async function listByHost(host: string): Promise<Info[]> {
  const parts = host === FREE ? freeParts : [host]
  const found = await Promise.all(parts.map((part) => Array.fromAsync(byHost(part))))
  return found.flat()
}

/**
 * Some leases that were free a moment ago: at most `most`, all from one part of the index. Each `turn` is the next part. A
 * part that holds more is read from a random place, so that hosts that look at the same time see different leases.
 */
export async function listSomeFree(turn: number, most: number): Promise<Info[]> {
  const part = freeParts[turn % freeParts.length]!
  const first = await some(byHost(part, { most }), most)
  if (first.length < most) return first
  const elsewhere = await some(byHost(part, { most, from: key(randomUUID()).pk }), most)
  return elsewhere.length > 0 ? elsewhere : first
}

async function* byHost(host: string, page?: { most: number; from?: string }): AsyncGenerator<Info> {
  const rows = query({
    TableName: leases,
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
 * Takes a free lease for a host. May be repeated until it is answered: a lease that this very take has taken is taken.
 * @returns the lease as held now; undefined when somebody else was faster.
 */
export async function take(lease: Info, host: { id: string; addr: string }): Promise<Info | undefined> {
  const taken = await update({
    TableName: leases,
    Key: key(lease.bridgeId),
    UpdateExpression:
      "SET #host = :me, addr = :addr, epoch = epoch + :one, started_ms = :started REMOVE #share",
    // A release before 0.2 has all free leases in the first part.
    ConditionExpression: "#host IN (:free, :once) AND epoch = :seen",
    ExpressionAttributeNames: { "#host": "host", "#share": "share" },
    ExpressionAttributeValues: {
      ":me": host.id,
      ":addr": host.addr,
      ":one": 1,
      ":started": Date.now(),
      ":free": freeOf(lease.bridgeId),
      ":once": FREE,
      ":seen": lease.epoch,
    },
  })
  if ("now" in taken) return fromRow(taken.now)
  const { host: holder, epoch } = taken.refused
  return holder === host.id && epoch === lease.epoch + 1 ? fromRow(taken.refused) : undefined
}

/**
 * Gives a held lease back, so that any host may take it. `failed` when the session ended by its own error; `logins` where
 * they are others than the lease says.
 * @returns false when it was not held any more, which is as good.
 */
export async function letGo(
  lease: Held,
  end: { failed: boolean; proven: boolean; logins?: number | undefined } = { failed: false, proven: false },
): Promise<boolean> {
  const { failed, proven, logins } = end
  const freed = await change({
    Key: key(lease.bridgeId),
    UpdateExpression:
      "SET #host = :free, addr = :nowhere, epoch = epoch + :one, fail_count = fail_count + :failed" +
      (failed ? `, failed_at = :now, failures = ${proven ? ":none" : "failures + :failed"}` : "") +
      (logins === undefined ? "" : ", logins = :logins"),
    ConditionExpression: "#host = :me AND epoch = :mine",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: {
      ":free": freeOf(lease.bridgeId),
      ":nowhere": "",
      ":one": 1,
      ":failed": failed ? 1 : 0,
      ...(failed && { ":now": now() }),
      ...(failed && proven && { ":none": 0 }),
      ...(logins !== undefined && { ":logins": logins }),
      ":me": lease.host,
      ":mine": lease.epoch,
    },
  })
  return freed !== undefined
}

/** A transaction takes a hundred items, the host among them. */
const freedAtOnce = 99

/**
 * Frees leases of a dead host, unless that host has beaten since it was observed (`seenVersion`). They are shared out
 * among so many hosts that have room (`among`; 0 where none is known): one of the bridges may be what killed the host,
 * and must not find all the others beside it again.
 * @returns those that are free now; not the ones that have moved on, and none more once the host proves to live.
 */
export async function freeFromDead(
  held: Info[],
  host: { key: { pk: string; sk: string }; seenVersion: number; among?: number },
): Promise<Info[]> {
  const share = host.among ? Math.ceil(held.length / host.among) : undefined
  const isAsSeen: Write = {
    ConditionCheck: {
      TableName: leases,
      Key: host.key,
      ConditionExpression: "version = :seen",
      ExpressionAttributeValues: { ":seen": host.seenVersion },
    },
  }
  const freed: Info[] = []
  for (let from = 0; from < held.length; from += freedAtOnce) {
    let left = held.slice(from, from + freedAtOnce)
    while (left.length > 0) {
      const refused = await transact([isAsSeen, ...left.map((lease) => freeing(lease, share))])
      const [lives, ...moved] = refused ?? []
      if (lives) return freed
      if (!refused) freed.push(...left)
      left = refused ? left.filter((_, at) => !moved[at]) : []
    }
  }
  return freed
}

function freeing(lease: Info, share: number | undefined): Write {
  const hasLived = lease.provenEpoch === lease.epoch
  return {
    Update: {
      TableName: leases,
      Key: key(lease.bridgeId),
      UpdateExpression:
        "SET #host = :free, addr = :nowhere, epoch = epoch + :one, failures = :failures, deaths = :deaths, " +
        `fail_count = fail_count + :one, failed_at = :now${share === undefined ? "" : ", #share = :share"}`,
      ConditionExpression: "#host = :dead AND epoch = :seen",
      ExpressionAttributeNames: { "#host": "host", ...(share !== undefined && { "#share": "share" }) },
      ExpressionAttributeValues: {
        ":free": freeOf(lease.bridgeId),
        ":nowhere": "",
        ":one": 1,
        ":failures": hasLived ? 0 : lease.failures + 1,
        ":deaths": hasLived ? 1 : lease.deaths + 1,
        ...(share !== undefined && { ":share": share }),
        ":now": now(),
        ":dead": lease.host,
        ":seen": lease.epoch,
      },
    },
  }
}

/**
 * Writes what its customer wants to be told; its session reads it when it is told to look, and now and then.
 * @returns the lease as it is now; undefined when the bridge is deleted.
 */
export async function choose(bridgeId: string, choice: Choice.Info): Promise<Info | undefined> {
  return await change({
    Key: key(bridgeId),
    UpdateExpression: "SET choice = :choice",
    ConditionExpression: "attribute_exists(pk) AND #host <> :gone",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: { ":choice": choice, ":gone": GONE },
  })
}

/** The condition of every commit of a session: the lease is still its host's, in the same epoch. */
export function check(held: Held): Write {
  return {
    ConditionCheck: {
      TableName: leases,
      Key: key(held.bridgeId),
      ConditionExpression: "#host = :me AND epoch = :mine",
      ExpressionAttributeNames: { "#host": "host" },
      ExpressionAttributeValues: { ":me": held.host, ":mine": held.epoch },
    },
  }
}

/** The write that ends a lease for ever: hosts find it and remove what is left of the bridge. */
export function gone(bridgeId: string): Write {
  return {
    Update: {
      TableName: leases,
      Key: key(bridgeId),
      UpdateExpression: "SET #host = :gone, addr = :nowhere, epoch = epoch + :one",
      ConditionExpression: "attribute_exists(pk) AND #host <> :gone",
      ExpressionAttributeNames: { "#host": "host" },
      ExpressionAttributeValues: { ":gone": GONE, ":nowhere": "", ":one": 1 },
    },
  }
}

/** Two minutes, at 5 s a beat. */
const beatsOfRemoval = 24

/**
 * Claims the removal of a deleted bridge's rows for this host, for some two minutes. The host may renew its claim. If
 * it dies, another host goes on when the claim is over.
 * @returns until when the claim holds, Unix seconds; undefined if another host has it, or nothing is left.
 */
export async function claimRemoval(bridgeId: string, hostId: string): Promise<number | undefined> {
  const until = now() + Math.ceil((beatsOfRemoval * config.LEASE_BEAT_MS) / 1000)
  const claimed = await change({
    Key: key(bridgeId),
    UpdateExpression: "SET removed_by = :me, removed_until = :until",
    ConditionExpression:
      "#host = :gone AND (attribute_not_exists(removed_until) OR removed_until < :now OR removed_by = :me)",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: { ":me": hostId, ":until": until, ":gone": GONE, ":now": now() },
  })
  return claimed && until
}

/** The session has lived for a minute. */
export async function proven(held: Held): Promise<void> {
  await change({
    Key: key(held.bridgeId),
    UpdateExpression: "SET failures = :none, deaths = :none, proven_epoch = :mine",
    ConditionExpression: "#host = :me AND epoch = :mine",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: { ":none": 0, ":me": held.host, ":mine": held.epoch },
  })
}

/** The session has been healthy for long, so earlier ends no longer count (`manager.fail_count`). */
export async function healthy(held: Held): Promise<void> {
  await note(held, "fail_count", 0)
}

/**
 * The session is about to log in, as the nth login in a row. Written before the login, so that it counts even if the
 * host dies.
 * @returns false when the lease is not its own any more.
 */
export async function login(held: Held, logins: number): Promise<boolean> {
  const counted = await change({
    Key: key(held.bridgeId),
    UpdateExpression: "SET logins = :logins, login_at = :now",
    ConditionExpression: "#host = :me AND epoch = :mine",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: { ":logins": logins, ":now": now(), ":me": held.host, ":mine": held.epoch },
  })
  return counted !== undefined
}

/** The session has stayed connected, so earlier logins no longer count. */
export async function stayed(held: Held): Promise<void> {
  await note(held, "logins", 0)
}

/** A customer has called. Unix seconds. */
export async function usedAt(held: Held, time: number): Promise<void> {
  await note(held, "used", time)
}

/** The session's status has changed. */
export async function tell(held: Held, told: Told): Promise<void> {
  await note(held, "told", told)
}

/** Its session skips a message now, and no other. @returns false when that was not wanted, or the lease is not held. */
export async function skipped(held: Held): Promise<boolean> {
  const row = await change({
    Key: key(held.bridgeId),
    UpdateExpression: "REMOVE skip",
    ConditionExpression: "#host = :me AND epoch = :mine AND skip = :yes",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: { ":me": held.host, ":mine": held.epoch, ":yes": true },
  })
  return row !== undefined
}

/**
 * Its holder pauses a bridge that nobody is linked to and nobody calls.
 * @returns false when it was not held any more.
 */
export async function pauseIdle(held: Held): Promise<boolean> {
  const paused = await change({
    Key: key(held.bridgeId),
    UpdateExpression: "SET #host = :none, addr = :nowhere, epoch = epoch + :one, reason = :idle",
    ConditionExpression: "#host = :me AND epoch = :mine",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: {
      ":none": NONE,
      ":nowhere": "",
      ":one": 1,
      ":idle": "idle" satisfies Reason,
      ":me": held.host,
      ":mine": held.epoch,
    },
  })
  return paused !== undefined
}

/**
 * The bridge must not run from now on, and its holder is fenced. A suspension outlasts every other reason.
 * @returns false when there is no such bridge, or it is suspended already.
 */
export async function stop(bridgeId: string, reason: Reason): Promise<boolean> {
  const stopped = await change({
    Key: key(bridgeId),
    UpdateExpression: "SET #host = :none, addr = :nowhere, epoch = epoch + :one, reason = :reason",
    ConditionExpression:
      "attribute_exists(pk) AND #host <> :gone AND (attribute_not_exists(reason) OR reason <> :suspended)",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: {
      ":none": NONE,
      ":nowhere": "",
      ":one": 1,
      ":reason": reason,
      ":gone": GONE,
      ":suspended": "suspended",
    },
  })
  return stopped !== undefined
}

/**
 * The next session of a running bridge skips the message at its head, once. It begins now, since the holder is fenced.
 * A suspect stays one, but is tried at once.
 * @returns false when there is no such bridge, or it must not run.
 */
export async function skip(bridgeId: string): Promise<boolean> {
  const freed = await change({
    Key: key(bridgeId),
    UpdateExpression:
      "SET #host = :free, addr = :nowhere, epoch = epoch + :one, skip = :yes, failed_at = :never",
    ConditionExpression: "attribute_exists(pk) AND #host <> :none AND #host <> :gone",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: {
      ":free": freeOf(bridgeId),
      ":nowhere": "",
      ":one": 1,
      ":yes": true,
      ":never": 0,
      ":none": NONE,
      ":gone": GONE,
    },
  })
  return freed !== undefined
}

/**
 * A bridge stopped for one of these reasons wants a host again.
 * @returns false when it was not stopped, or for another reason.
 */
export async function wake(bridgeId: string, ...reasons: Reason[]): Promise<boolean> {
  const values = Object.fromEntries(reasons.map((reason, i) => [`:r${i}`, reason]))
  const woken = await change({
    Key: key(bridgeId),
    UpdateExpression: "SET #host = :free, epoch = epoch + :one, used = :now REMOVE reason",
    ConditionExpression: `#host = :none AND reason IN (${Object.keys(values).join(", ")})`,
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: {
      ":free": freeOf(bridgeId),
      ":one": 1,
      ":now": now(),
      ":none": NONE,
      ...values,
    },
  })
  return woken !== undefined
}

/** Writes something about a lease, if it is still its holder's. */
async function note(
  held: Held,
  field: "fail_count" | "logins" | "used" | "told",
  value: number | Told,
): Promise<void> {
  await change({
    Key: key(held.bridgeId),
    UpdateExpression: "SET #field = :value",
    ConditionExpression: "#host = :me AND epoch = :mine",
    ExpressionAttributeNames: { "#field": field, "#host": "host" },
    ExpressionAttributeValues: { ":value": value, ":me": held.host, ":mine": held.epoch },
  })
}

/** One conditional update of a lease: the lease as it is now; undefined when its condition refused it. */
async function change(input: Omit<Parameters<typeof update>[0], "TableName">): Promise<Info | undefined> {
  const row = await update({ ...input, TableName: leases })
  return "now" in row ? fromRow(row.now) : undefined
}

function fromRow(row: Row): Info {
  return Info.parse({
    ...row,
    bridgeId: bridgeIdOf(row.pk),
    host: freeParts.includes(String(row.host)) ? FREE : row.host,
    provenEpoch: row.proven_epoch,
    failCount: row.fail_count,
    failedAt: row.failed_at,
    loginAt: row.login_at,
    removedUntil: row.removed_until,
    choice: Choice.Info.parse(row.choice ?? {}),
    startedMs: row.started_ms,
  })
}
