import { now, nowMs } from "../platform/clock.ts"
import { getRow, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { change, freeHostOf, fromRow, GONE, type Held, type Info, key, STOPPED, Reason } from "./lease-row.ts"

// Whether a bridge is to run. Each change ends its session, since it raises the epoch.

/** The gravest reason why a bridge must not run; undefined if it runs or wants to. */
export function whyStopped({ stopped }: Pick<Info, "stopped">): Reason | undefined {
  return Reason.options.find((reason) => stopped.includes(reason))
}

/**
 * Stops a bridge for this reason too. Its holder is fenced.
 * @returns false when it was stopped for this reason already, or is deleted
 */
export async function stop(bridgeId: string, reason: Reason): Promise<boolean> {
  return await restop(bridgeId, (stopped) => [...stopped.filter((one) => one !== reason), reason])
}

/**
 * Ends these reasons. If no other is left, the bridge wants a host again.
 * @returns false when it was stopped for none of them, or is deleted
 */
export async function wake(bridgeId: string, ...reasons: Reason[]): Promise<boolean> {
  return await restop(bridgeId, (stopped) => stopped.filter((one) => !reasons.includes(one)))
}

async function restop(bridgeId: string, edit: (stopped: Reason[]) => Reason[]): Promise<boolean> {
  for (;;) {
    const row = await getRow(tables.leases, key(bridgeId))
    const seen = row && fromRow(row)
    if (!seen || seen.host === GONE) return false
    const stopped = edit(seen.stopped)
    if (stopped.length === seen.stopped.length) return false
    const runs = stopped.length === 0
    const changed = await updateRow({
      TableName: tables.leases,
      Key: key(bridgeId),
      UpdateExpression:
        "SET #host = :host, addr = :nowhere, epoch = epoch + :one, stopped = :stopped, used = :used",
      ConditionExpression: "epoch = :seen",
      ExpressionAttributeNames: { "#host": "host" },
      ExpressionAttributeValues: {
        ":host": runs ? freeHostOf(bridgeId) : STOPPED,
        ":nowhere": "",
        ":one": 1,
        ":stopped": stopped,
        ":used": runs ? now() : seen.used,
        ":seen": seen.epoch,
      },
    })
    if ("now" in changed) return true
    // What refused us is most likely our own write, whose answer was lost.
    const { epoch, stopped: theirs } = changed.refused
    if (epoch === seen.epoch + 1 && JSON.stringify(theirs) === JSON.stringify(stopped)) return true
  }
}

/**
 * Pauses a bridge for its holder: no phone is linked to it, and no calls come.
 * @returns false when it was not held any more.
 */
export async function pauseIdle(held: Held): Promise<boolean> {
  const paused = await change({
    Key: key(held.bridgeId),
    UpdateExpression: "SET #host = :none, addr = :nowhere, epoch = epoch + :one, stopped = :idle",
    ConditionExpression: "#host = :me AND epoch = :mine",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: {
      ":none": STOPPED,
      ":nowhere": "",
      ":one": 1,
      ":idle": ["idle"] satisfies Reason[],
      ":me": held.host,
      ":mine": held.epoch,
    },
  })
  return paused !== undefined
}

/**
 * Notes that a bridge's keys came back from a backup: its next session makes anew what may have been used
 * since (`session-host/session/make-anew.ts`). A holder is fenced; a bridge that must not run stays so. One
 * whose export was not finished may have left since: it has, until it is taken back.
 * @returns false when there is no such bridge
 */
export async function makeAnew(bridgeId: string): Promise<boolean> {
  for (;;) {
    const row = await getRow(tables.leases, key(bridgeId))
    const seen = row && fromRow(row)
    if (!seen || seen.host === GONE) return false
    const mayHaveLeft = seen.leaving !== undefined && !seen.movedMs
    const marked = await change({
      Key: key(bridgeId),
      UpdateExpression: `SET #host = :host, addr = :nowhere, epoch = epoch + :one, anew = :yes${mayHaveLeft ? ", moved_ms = :now REMOVE leaving" : ""}`,
      ConditionExpression: "epoch = :seen",
      ExpressionAttributeNames: { "#host": "host" },
      ExpressionAttributeValues: {
        ":host": seen.host === STOPPED ? STOPPED : freeHostOf(bridgeId),
        ":nowhere": "",
        ":one": 1,
        ":yes": true,
        ":seen": seen.epoch,
        ...(mayHaveLeft && { ":now": nowMs() }),
      },
    })
    // If our own write, whose answer was lost, has refused this one, it is written once more. That does no
    // harm.
    if (marked) return true
  }
}

/**
 * The next session of a running bridge skips the message at its head, once. It begins now, since the holder
 * is fenced. A suspect stays one, but is tried at once.
 * @returns false when there is no such bridge, or it must not run.
 */
export async function skipMessage(bridgeId: string): Promise<boolean> {
  const freed = await change({
    Key: key(bridgeId),
    UpdateExpression:
      "SET #host = :free, addr = :nowhere, epoch = epoch + :one, skip = :yes, failed_at = :never",
    ConditionExpression: "attribute_exists(pk) AND #host <> :none AND #host <> :gone",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: {
      ":free": freeHostOf(bridgeId),
      ":nowhere": "",
      ":one": 1,
      ":yes": true,
      ":never": 0,
      ":none": STOPPED,
      ":gone": GONE,
    },
  })
  return freed !== undefined
}
