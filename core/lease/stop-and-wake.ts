import { now } from "../platform/clock.ts"
import type { Row } from "../store/store.ts"
import { change, freeOf, GONE, type Held, key, NONE, type Reason, type StoredReason } from "./row.ts"

// Whether a bridge is to run. Each change ends its session, since it raises the epoch.

/**
 * The operator stops a bridge, and its holder is fenced. A suspension outlasts every other reason. If its own people have
 * paused it, that is kept for when the operator wakes or resumes it.
 * @returns false when there is no such bridge, or it is suspended already.
 */
export async function stop(bridgeId: string, reason: StoredReason): Promise<boolean> {
  const stopped = await change({
    Key: key(bridgeId),
    UpdateExpression:
      "SET #host = :none, addr = :nowhere, epoch = epoch + :one, reason = :reason, by_operator = :yes",
    ConditionExpression:
      "attribute_exists(pk) AND #host <> :gone AND (attribute_not_exists(reason) OR reason <> :suspended)",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: {
      ":none": NONE,
      ":nowhere": "",
      ":one": 1,
      ":reason": reason,
      ":yes": true,
      ":gone": GONE,
      ":suspended": "suspended" satisfies Reason,
    },
  })
  return stopped !== undefined
}

/**
 * The bridge must not run until its account pays. A bridge that its operator has stopped stays stopped for that reason;
 * one that only sleeps would wake at any call, so it is stopped as well.
 * @returns false when it was stopped already, or is deleted
 */
export async function stopUnpaid(bridgeId: string): Promise<boolean> {
  return await stopRunning(bridgeId, "reason = :reason REMOVE by_customer, by_operator", {
    ":reason": "billing" satisfies Reason,
  })
}

/**
 * The bridge must not run until its own people wake it. One that is stopped for any other reason than idleness stays so.
 * @returns false when it was stopped already, or is deleted
 */
export async function stopForCustomer(bridgeId: string): Promise<boolean> {
  return await stopRunning(bridgeId, "reason = :reason, by_customer = :yes REMOVE by_operator", {
    ":reason": "manual" satisfies Reason,
    ":yes": true,
  })
}

/**
 * The bridge must not run until its operator wakes it. One that its own people have paused is then paused by both. Unlike
 * `stop`, this leaves one that is stopped for any other reason than idleness as it is.
 * @returns false when its operator or a bill has stopped it already, or it is deleted
 */
export async function stopForOperator(bridgeId: string): Promise<boolean> {
  const stopNow = async () =>
    await stopRunning(bridgeId, "reason = :reason, by_operator = :yes REMOVE by_customer", {
      ":reason": "manual" satisfies Reason,
      ":yes": true,
    })
  // Between the first two, its people may wake it.
  return (await stopNow()) || (await keepPaused(bridgeId)) || (await stopNow())
}

/** The operator pauses what its own people have paused: they cannot wake it any more. */
async function keepPaused(bridgeId: string): Promise<boolean> {
  const kept = await change({
    Key: key(bridgeId),
    UpdateExpression: "SET by_operator = :yes",
    ConditionExpression:
      "#host = :none AND reason = :manual AND by_customer = :yes AND attribute_not_exists(by_operator)",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: { ":none": NONE, ":manual": "manual" satisfies Reason, ":yes": true },
  })
  return kept !== undefined
}

async function stopRunning(bridgeId: string, set: string, values: Row): Promise<boolean> {
  const stopped = await change({
    Key: key(bridgeId),
    UpdateExpression: `SET #host = :none, addr = :nowhere, epoch = epoch + :one, ${set}`,
    ConditionExpression: "attribute_exists(pk) AND #host <> :gone AND (#host <> :none OR reason = :idle)",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: {
      ...values,
      ":none": NONE,
      ":nowhere": "",
      ":one": 1,
      ":gone": GONE,
      ":idle": "idle" satisfies Reason,
    },
  })
  return stopped !== undefined
}

/**
 * A bridge stopped for one of these reasons wants a host again. If its own people have paused it, it stays paused, and
 * only they can wake it.
 * @returns false when it was not stopped, or for another reason.
 */
export async function wake(bridgeId: string, ...reasons: StoredReason[]): Promise<boolean> {
  const values = Object.fromEntries(reasons.map((reason, i) => [`:r${i}`, reason]))
  const isOne = `reason IN (${Object.keys(values).join(", ")})`
  const isOfPeople = "by_customer = :yes AND reason IN (:manual, :suspended)"
  const people = { ...values, ":yes": true, ":manual": "manual", ":suspended": "suspended" }
  if (await free(bridgeId, `${isOne} AND NOT (${isOfPeople})`, people)) return true
  const left = await change({
    Key: key(bridgeId),
    UpdateExpression: "SET reason = :manual REMOVE by_operator",
    // An earlier release suspends without `by_operator`.
    ConditionExpression: `#host = :none AND ${isOne} AND ${isOfPeople} AND (by_operator = :yes OR reason = :suspended)`,
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: { ":none": NONE, ...people },
  })
  return left !== undefined
}

/**
 * Its own people let a bridge run again that they have paused.
 * @returns false when they had not, or its operator has stopped it too.
 */
export async function wakeForCustomer(bridgeId: string): Promise<boolean> {
  const isTheirs = "reason = :manual AND by_customer = :yes AND attribute_not_exists(by_operator)"
  return await free(bridgeId, isTheirs, { ":manual": "manual" satisfies Reason, ":yes": true })
}

async function free(bridgeId: string, condition: string, values: Row): Promise<boolean> {
  const woken = await change({
    Key: key(bridgeId),
    UpdateExpression:
      "SET #host = :free, epoch = epoch + :one, used = :now REMOVE reason, by_customer, by_operator",
    ConditionExpression: `#host = :none AND ${condition}`,
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: {
      ...values,
      ":free": freeOf(bridgeId),
      ":one": 1,
      ":now": now(),
      ":none": NONE,
    },
  })
  return woken !== undefined
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
