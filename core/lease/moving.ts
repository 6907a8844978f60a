import { getRow, putRow, type Row, updateRow, type Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { change, freeHostOf, fromRow, type Info, key, STOPPED, type Reason, newRow } from "./lease-row.ts"

// How a bridge leaves for another service, and comes from one. While it is away, its lease is stopped as
// `moved`.

// Each change raises the epoch, so that no process acts on what it saw before.

/**
 * The write by which a bridge leaves in the file of an export, as it was seen: its holder is fenced, and no
 * host here takes it any more.
 */
export function leaving({ bridgeId, epoch, stopped, moves }: Info, exportId: string): Write {
  return stopping(bridgeId, {
    UpdateExpression:
      "SET #host = :host, addr = :nowhere, epoch = epoch + :one, stopped = :stopped, moves = :moves, moved_ms = :unknown, leaving = :me",
    ConditionExpression: "epoch = :seen",
    ExpressionAttributeValues: {
      ":me": exportId,
      ":host": STOPPED,
      ":nowhere": "",
      ":one": 1,
      ":stopped": [...stopped, "moved"] satisfies Reason[],
      ":moves": moves + 1,
      ":unknown": 0,
      ":seen": epoch,
    },
  })
}

/**
 * Claims a bridge, as it was seen, for another export. The earlier one, which may have died, can neither
 * finish nor take the bridge back any more.
 * @returns false when it has changed since, or the file of the earlier one is whole
 */
export async function claimLeaving({ bridgeId, epoch }: Info, exportId: string): Promise<boolean> {
  const claimed = await updateRow({
    TableName: tables.leases,
    Key: key(bridgeId),
    UpdateExpression: "SET leaving = :me, epoch = epoch + :one",
    ConditionExpression: "epoch = :seen AND moved_ms = :unknown AND attribute_not_exists(arriving)",
    ExpressionAttributeValues: { ":me": exportId, ":one": 1, ":seen": epoch, ":unknown": 0 },
  })
  // What refused us may be our own write, whose answer was lost.
  return "now" in claimed || claimed.refused.leaving === exportId
}

/**
 * Notes that the file in which a bridge leaves is whole: from here on another service may have the bridge.
 * @returns false when the bridge is not this export's any more
 */
export async function finishLeaving(bridgeId: string, exportId: string, movedMs: number): Promise<boolean> {
  const finished = await change({
    Key: key(bridgeId),
    UpdateExpression: "SET moved_ms = :moved_ms, epoch = epoch + :one",
    ConditionExpression: "leaving = :me AND attribute_exists(moved_ms)",
    ExpressionAttributeValues: { ":moved_ms": movedMs, ":one": 1, ":me": exportId },
  })
  return finished !== undefined
}

/**
 * The write by which a bridge that left, as it was seen, is this service's again.
 * @param anew whether another service may have used its keys
 */
export function returning({ bridgeId, epoch, stopped }: Info, anew: boolean): Write {
  const others = stopped.filter((one) => one !== "moved")
  return stopping(bridgeId, {
    UpdateExpression: `SET #host = :host, epoch = epoch + :one, stopped = :stopped${anew ? ", anew = :yes" : ""} REMOVE moved_ms, leaving`,
    ConditionExpression: "epoch = :seen AND attribute_exists(moved_ms) AND attribute_not_exists(arriving)",
    ExpressionAttributeValues: {
      ":host": others.length === 0 ? freeHostOf(bridgeId) : STOPPED,
      ":one": 1,
      ":stopped": others,
      ":seen": epoch,
      ...(anew && { ":yes": true }),
    },
  })
}

function stopping(bridgeId: string, update: Omit<NonNullable<Write["Update"]>, "TableName" | "Key">): Write {
  const names = { ExpressionAttributeNames: { "#host": "host" } }
  return { Update: { TableName: tables.leases, Key: key(bridgeId), ...names, ...update } }
}

/**
 * Claims the rows of a bridge that comes from another service, for one import. An earlier import, which may
 * have died, can write no more of them.
 * @returns false when the bridge is here, or has changed since it was `seen`
 */
export async function claimArrival(
  { bridgeId, network }: Pick<Info, "bridgeId" | "network">,
  seen: Info | undefined,
  importId: string,
): Promise<boolean> {
  if (!seen) {
    const away: Row = {
      ...newRow(bridgeId, network),
      host: STOPPED,
      epoch: 0,
      stopped: ["moved"],
      moved_ms: 0,
    }
    const refused = await putRow({
      TableName: tables.leases,
      Item: { ...away, arriving: importId },
      ConditionExpression: "attribute_not_exists(pk)",
    })
    return !refused || refused.arriving === importId
  }
  const claimed = await change({
    Key: key(bridgeId),
    UpdateExpression: "SET arriving = :me REMOVE leaving",
    ConditionExpression: "epoch = :seen AND attribute_exists(moved_ms)",
    ExpressionAttributeValues: { ":me": importId, ":seen": seen.epoch },
  })
  return claimed !== undefined
}

/** The condition of each write of an import: the claim is still its own. */
export function importCheck(bridgeId: string, importId: string): Write {
  return {
    ConditionCheck: {
      TableName: tables.leases,
      Key: key(bridgeId),
      ConditionExpression: "arriving = :me",
      ExpressionAttributeValues: { ":me": importId },
    },
  }
}

/**
 * The write by which a bridge arrives, with its lease as it left the other service. It wants a host, unless
 * it must not run.
 */
export async function arriving(leftAs: Row, importId: string): Promise<Write> {
  const { bridgeId, epoch, stopped } = fromRow(leftAs)
  const here = await getRow(tables.leases, key(bridgeId))
  const others = stopped.filter((one) => one !== "moved")
  const { moved_ms: _, arriving: _claim, leaving: _export, share: _share, ...lease } = leftAs
  return {
    Put: {
      TableName: tables.leases,
      Item: {
        ...lease,
        host: others.length === 0 ? freeHostOf(bridgeId) : STOPPED,
        stopped: others,
        // Above the epoch of every holder that it had, here or there.
        epoch: Math.max(epoch, here ? fromRow(here).epoch : 0) + 1,
      },
      ConditionExpression: "arriving = :me",
      ExpressionAttributeValues: { ":me": importId },
    },
  }
}
