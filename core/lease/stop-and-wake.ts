import { now } from "../platform/clock.ts"
import { change, freeOf, GONE, type Held, key, NONE, type Reason } from "./row.ts"

// Whether a bridge is to run. Each change ends its session, since it raises the epoch.

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
 * The bridge must not run until its account pays. A bridge that its operator has stopped stays stopped for that reason;
 * one that only sleeps would wake at any call, so it is stopped as well.
 * @returns false when it was stopped already, or is deleted
 */
export async function stopUnpaid(bridgeId: string): Promise<boolean> {
  return await stopRunning(bridgeId, "billing")
}

/**
 * The bridge must not run until its own people wake it. One that is stopped for any other reason than idleness stays so.
 * @returns false when it was stopped already, or is deleted
 */
export async function stopForCustomer(bridgeId: string): Promise<boolean> {
  return await stopRunning(bridgeId, "customer")
}

async function stopRunning(bridgeId: string, reason: Reason): Promise<boolean> {
  const stopped = await change({
    Key: key(bridgeId),
    UpdateExpression: "SET #host = :none, addr = :nowhere, epoch = epoch + :one, reason = :reason",
    ConditionExpression: "attribute_exists(pk) AND #host <> :gone AND (#host <> :none OR reason = :idle)",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: {
      ":none": NONE,
      ":nowhere": "",
      ":one": 1,
      ":reason": reason,
      ":gone": GONE,
      ":idle": "idle" satisfies Reason,
    },
  })
  return stopped !== undefined
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
