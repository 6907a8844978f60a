import { z } from "zod"
import { Objection, RestrictionKind, Status } from "#contract/status-and-objection.ts"
import { Choice } from "../bridge/choice.ts"
import { now } from "../platform/clock.ts"
import { type Row, updateRow } from "../store/store.ts"
import { bridgeIdOf, tables } from "../store/tables.ts"

// The row of a lease. All of it is reached as `Lease` (lease.ts), apart from the parts that only this folder
// needs.

export const Network = z.enum(["live", "simulated"])
export type Network = z.infer<typeof Network>

/**
 * Why a bridge must not run, the gravest first. `moved`: another service has it; `operator`: its operator has
 * paused it; `customer`: its own people.
 */
export const Reason = z.enum(["moved", "suspended", "billing", "operator", "customer", "idle"])
export type Reason = z.infer<typeof Reason>

/** The status that a session reports, since when (Unix seconds), and in which epoch of the lease. */
export const Reported = z.object({
  status: Status,
  since: z.number().int(),
  epoch: z.number().int(),
  /** Why its logins fail, or why it was unlinked. */
  objection: Objection.optional(),
  /** When the session tries again, Unix seconds, where the network has named a time. */
  objection_until: z.number().int().optional(),
  /** Who unlinked the last phone: this service, when a caller asked for it, or the phone or the network. */
  unlinked: z.enum(["here", "elsewhere"]).optional(),
  /**
   * The strictest limit that the network has put on its account, and until when (Unix seconds); 0: unknown.
   */
  restriction: z.object({ kind: RestrictionKind, until: z.number().int() }).optional(),
  /** The number of the phone that is linked, or was last: sealed (`linked-phone.ts`). */
  phone: z.string().optional(),
  /** Its keyed hash, by which it is known again in another bridge (`bridges-of-phone.ts`). */
  phone_hash: z.string().optional(),
})
export type Reported = z.infer<typeof Reported>
/** Why its logins fail, and when the session tries again. */
export type Refusal = Pick<Reported, "objection" | "objection_until">

/**
 * Which host holds a bridge. `host` is an id, or one of the three words below. Every change of `host` raises
 * `epoch`, and every commit of a session checks both, so an old owner can write nothing.
 */
export const Info = z.object({
  bridgeId: z.string(),
  host: z.string(),
  /** Where the holder listens, `host:port`; empty when no host holds it. */
  addr: z.string(),
  epoch: z.number().int(),
  /**
   * Sessions in a row that ended within a minute, by errors of their own or with a host that held no other
   * bridge.
   */
  failures: z.number().int(),
  /**
   * Hosts that died in a row while they held it, and not from outside, with no session between them that
   * lived for a minute.
   */
  deaths: z.number().int().default(0),
  /**
   * The epoch whose session has lived for a minute. From then on its end is not a failure, and a death of its
   * host counts from one again.
   */
  provenEpoch: z.number().int(),
  /** Unplanned ends since the last ten healthy minutes (`manager.fail_count`). */
  failCount: z.number().int(),
  network: Network,
  /** Why it must not run: it runs if there is no reason. Each is added and removed by its own owner. */
  stopped: z.array(Reason),
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
  /**
   * Set if its host died: how many of that host's bridges another host takes at a look. Undefined: any
   * number.
   */
  share: z.number().int().optional(),
  /** The customer's choice of events, stored here because the session reads this row. */
  choice: Choice.Info,
  /** Until when one host removes the rows of a deleted bridge, Unix seconds. */
  removedUntil: z.number().int().default(0),
  /** The operator wants the message at the head of its session skipped. */
  skip: z.boolean().optional(),
  /** Its keys came from a backup or another gateway: its next session makes anew what may have been used. */
  anew: z.boolean().optional(),
  /** How often it has left a service: an export that is older than what is here is refused. */
  moves: z.number().int().default(0),
  /**
   * When the file in which it left was whole, Unix ms; 0 until then, and while it arrives; absent if it has
   * not left.
   */
  movedMs: z.number().int().optional(),
  /** The import that writes its rows; another one takes over by naming itself here. */
  arriving: z.string().optional(),
  /**
   * The export in whose file it leaves, or has left; another one takes over by naming itself here, until
   * `movedMs`.
   */
  leaving: z.string().optional(),
  /**
   * The last reported status, perhaps of an earlier holder. It lags, and lacks a change that cannot be
   * written.
   */
  reported: Reported.optional(),
})
export type Info = z.infer<typeof Info>

/** A lease in the hands of a host, for as long as the epoch is the same. */
export type Held = Pick<Info, "bridgeId" | "host" | "epoch">

/**
 * No host holds it, and one should. Rows hold the name of a part of the index in its place: one of
 * `partsOfFree`.
 */
export const FREE = "FREE"
/** The bridge must not run. */
export const STOPPED = "NONE"
/** The bridge is deleted, and its rows are to be removed. */
export const GONE = "GONE"

/**
 * The parts of the index that free leases are spread over; the last digit of a bridge's id says which is its
 * own. DynamoDB takes 1,000 writes and 3,000 reads a second for one partition key: with a single one, 40,000
 * bridges whose hosts have died would wait for minutes, and the looks of 6,000 hosts would be refused.
 */
export const partsOfFree = [FREE, "FREE#1", "FREE#2", "FREE#3"]

/** How many looks, one at each part, it takes to see every free lease. */
export const looksForAllFree = partsOfFree.length

/** The `host` in the row of this bridge while its lease is free. */
export function freeHostOf(bridgeId: string): string {
  return partsOfFree[partOf(bridgeId)] ?? FREE
}

/**
 * The number of a bridge's own part, both of the index of free leases and of that of bridges that are down.
 */
export function partOf(bridgeId: string): number {
  return parseInt(bridgeId.slice(-1), 16) % partsOfFree.length
}

export function key(bridgeId: string) {
  return { pk: `BRIDGE#${bridgeId}`, sk: "LEASE" }
}

/** The lease of a new bridge, which wants a host. */
export function newRow(bridgeId: string, network: Network): Row {
  return {
    ...key(bridgeId),
    host: freeHostOf(bridgeId),
    addr: "",
    epoch: 1,
    failures: 0,
    proven_epoch: 0,
    fail_count: 0,
    failed_at: 0,
    network,
    used: now(),
    started_ms: 0,
    stopped: [],
  }
}

/** One conditional update of a lease: the lease as it is now; undefined when its condition refused it. */
export async function change(
  input: Omit<Parameters<typeof updateRow>[0], "TableName">,
): Promise<Info | undefined> {
  const row = await updateRow({ ...input, TableName: tables.leases })
  return "now" in row ? fromRow(row.now) : undefined
}

export function fromRow(row: Row): Info {
  return Info.parse({
    ...row,
    bridgeId: bridgeIdOf(row.pk),
    host: partsOfFree.includes(String(row.host)) ? FREE : row.host,
    provenEpoch: row.proven_epoch,
    failCount: row.fail_count,
    failedAt: row.failed_at,
    loginAt: row.login_at,
    removedUntil: row.removed_until,
    movedMs: row.moved_ms,
    choice: Choice.Info.parse(row.choice ?? {}),
    startedMs: row.started_ms,
  })
}
