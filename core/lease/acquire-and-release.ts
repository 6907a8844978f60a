import { now, nowMs } from "../platform/clock.ts"
import { transact, updateRow, type Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { change, freeHostOf, fromRow, type Held, type Info, key } from "./lease-row.ts"

// How a lease comes to a host, stays with it, and is given back or taken away.

/**
 * Takes a free lease for a host. May be repeated until it is answered: a repetition finds that the first call
 * took the lease.
 * @returns the lease as held now; undefined when another host was faster.
 */
export async function acquire(lease: Info, host: { id: string; addr: string }): Promise<Info | undefined> {
  const taken = await updateRow({
    TableName: tables.leases,
    Key: key(lease.bridgeId),
    UpdateExpression:
      "SET #host = :me, addr = :addr, epoch = epoch + :one, started_ms = :started REMOVE #share",
    ConditionExpression: "#host = :free AND epoch = :seen",
    ExpressionAttributeNames: { "#host": "host", "#share": "share" },
    ExpressionAttributeValues: {
      ":me": host.id,
      ":addr": host.addr,
      ":one": 1,
      ":started": nowMs(),
      ":free": freeHostOf(lease.bridgeId),
      ":seen": lease.epoch,
    },
  })
  if ("now" in taken) return fromRow(taken.now)
  const { host: holder, epoch } = taken.refused
  return holder === host.id && epoch === lease.epoch + 1 ? fromRow(taken.refused) : undefined
}

/**
 * Gives a held lease back, so that any host may take it. `failed`: the session ended by its own error.
 * `logins`: their number, if it is not the lease's.
 * @returns false when it was not held any more, which is as good.
 */
export async function release(
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
      ":free": freeHostOf(lease.bridgeId),
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

interface DeadHost {
  key: { pk: string; sk: string }
  /** Its version when it was observed. */
  seenVersion: number
  /** How many hosts have room; 0 where none is known. */
  among?: number
  /** How many sessions it had at its last beat. */
  sessions?: number
  /** None of its bridges can have caused its death. */
  isBlameless?: boolean
}

/**
 * Frees leases of a dead host, unless that host has beaten since it was observed. They are shared out among
 * the hosts that have room: one of the bridges may be what killed the host, and must not find all the others
 * beside it again.
 *
 * A death that a bridge can have caused is counted for it (`deaths`). Only if the bridge was alone there, the
 * death is its own failure as well (`failures`). A death from outside counts for no bridge.
 * @returns the leases that are free now, without those that had moved on. It stops once the host proves to
 * live.
 */
export async function freeFromDead(held: Info[], host: DeadHost): Promise<Info[]> {
  const wasAlone = Math.max(held.length, host.sessions ?? 0) === 1
  const blame = host.isBlameless ? "none" : wasAlone ? "sure" : "possible"
  const share = host.among ? Math.ceil(held.length / host.among) : undefined
  const isAsSeen: Write = {
    ConditionCheck: {
      TableName: tables.leases,
      Key: host.key,
      ConditionExpression: "version = :seen",
      ExpressionAttributeValues: { ":seen": host.seenVersion },
    },
  }
  const freed: Info[] = []
  for (let from = 0; from < held.length; from += freedAtOnce) {
    let left = held.slice(from, from + freedAtOnce)
    while (left.length > 0) {
      const refused = await transact([isAsSeen, ...left.map((lease) => freeing(lease, share, blame))])
      const [lives, ...moved] = refused ?? []
      if (lives) return freed
      if (!refused) freed.push(...left)
      left = refused ? left.filter((_, at) => !moved[at]) : []
    }
  }
  return freed
}

function freeing(lease: Info, share: number | undefined, blame: "none" | "possible" | "sure"): Write {
  const hasLived = lease.provenEpoch === lease.epoch
  return {
    Update: {
      TableName: tables.leases,
      Key: key(lease.bridgeId),
      UpdateExpression:
        "SET #host = :free, addr = :nowhere, epoch = epoch + :one, fail_count = fail_count + :one, " +
        "failed_at = :now, failures = :failures, deaths = :deaths" +
        (share === undefined ? "" : ", #share = :share"),
      ConditionExpression: "#host = :dead AND epoch = :seen",
      ExpressionAttributeNames: { "#host": "host", ...(share !== undefined && { "#share": "share" }) },
      ExpressionAttributeValues: {
        ":free": freeHostOf(lease.bridgeId),
        ":nowhere": "",
        ":one": 1,
        ":now": now(),
        ":failures": hasLived ? 0 : lease.failures + (blame === "sure" ? 1 : 0),
        ":deaths": (hasLived ? 0 : lease.deaths) + (blame === "none" ? 0 : 1),
        ...(share !== undefined && { ":share": share }),
        ":dead": lease.host,
        ":seen": lease.epoch,
      },
    },
  }
}

/** The condition of every commit of a session: the lease is still its host's, in the same epoch. */
export function heldCheck(held: Held): Write {
  return {
    ConditionCheck: {
      TableName: tables.leases,
      Key: key(held.bridgeId),
      ConditionExpression: "#host = :me AND epoch = :mine",
      ExpressionAttributeNames: { "#host": "host" },
      ExpressionAttributeValues: { ":me": held.host, ":mine": held.epoch },
    },
  }
}
