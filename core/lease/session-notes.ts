import { now, nowMs } from "../platform/clock.ts"
import { transact } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { change, type Held, key, partOf, type Reported } from "./lease-row.ts"
import { NewlyLinked } from "./newly-linked.ts"

// The notes of a session in its lease. Each is written only while the session's host holds the lease.

/** The session has lived for a minute. */
export async function noteProven(held: Held): Promise<void> {
  await change({
    Key: key(held.bridgeId),
    UpdateExpression: "SET failures = :none, deaths = :none, proven_epoch = :mine",
    ConditionExpression: "#host = :me AND epoch = :mine",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: { ":none": 0, ":me": held.host, ":mine": held.epoch },
  })
}

/** The session has been healthy for long, so earlier ends no longer count (`manager.fail_count`). */
export async function noteHealthy(held: Held): Promise<void> {
  await note(held, "fail_count", 0)
}

/**
 * The session is about to log in, as the nth login in a row. Written before the login, so that it counts even
 * if the host dies.
 * @returns false when the lease is not its own any more.
 */
export async function countLogin(held: Held, logins: number): Promise<boolean> {
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
export async function resetLogins(held: Held): Promise<void> {
  await note(held, "logins", 0)
}

/** A customer has called. Unix seconds. */
export async function reportUse(held: Held, time: number): Promise<void> {
  await note(held, "used", time)
}

/** The session starts anew, in the same process (`manager.started_at`). */
export async function noteRestart(held: Held): Promise<void> {
  await note(held, "started_ms", nowMs())
}

/**
 * The session's status has changed. While its phone is not connected, the index `byDown` has the lease.
 * @param isOtherPhone another phone was linked, of which `NewlyLinked` hears exactly if this is written
 */
export async function reportStatus(held: Held, reported: Reported, isOtherPhone = false): Promise<void> {
  const isDown = reported.phone !== undefined && reported.status !== "connected"
  const update = {
    TableName: tables.leases,
    Key: key(held.bridgeId),
    UpdateExpression: `SET reported = :reported${isDown ? ", #down = :part" : " REMOVE #down"}`,
    ConditionExpression: "#host = :me AND epoch = :mine",
    ExpressionAttributeNames: { "#down": "down", "#host": "host" },
    ExpressionAttributeValues: {
      ":reported": reported,
      ":me": held.host,
      ":mine": held.epoch,
      ...(isDown && { ":part": partOf(held.bridgeId) }),
    },
  }
  if (isOtherPhone) await transact([{ Update: update }, NewlyLinked.adding(held.bridgeId)])
  else await change(update)
}

/**
 * Ends the operator's wish to skip a message: the session skips it now, and no later session does.
 * @returns false when there was no such wish, or the lease is not held.
 */
export async function useSkip(held: Held): Promise<boolean> {
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
 * The session has made anew what it had to. May be repeated until it is answered.
 * @returns false when the lease is not held.
 */
export async function noteMadeAnew(held: Held): Promise<boolean> {
  const row = await change({
    Key: key(held.bridgeId),
    UpdateExpression: "REMOVE anew",
    ConditionExpression: "#host = :me AND epoch = :mine",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: { ":me": held.host, ":mine": held.epoch },
  })
  return row !== undefined
}

/** Writes a field of a lease, if its host still holds it. */
async function note(
  held: Held,
  field: "fail_count" | "logins" | "started_ms" | "used",
  value: number,
): Promise<void> {
  await change({
    Key: key(held.bridgeId),
    UpdateExpression: "SET #field = :value",
    ConditionExpression: "#host = :me AND epoch = :mine",
    ExpressionAttributeNames: { "#field": field, "#host": "host" },
    ExpressionAttributeValues: { ":value": value, ":me": held.host, ":mine": held.epoch },
  })
}
