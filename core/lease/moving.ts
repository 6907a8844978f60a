import { getRow, putRow, type Row, type Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { change, freeHostOf, fromRow, type Info, key, STOPPED, type Reason, newRow } from "./row.ts"

// How a bridge leaves for another service, and comes from one. While it is away, its lease is stopped as `moved`.

/** The write by which a bridge leaves, as it was seen: its holder is fenced, and no host here takes it any more. */
export function leaving({ bridgeId, epoch, stopped, moves }: Info): Write {
  return stopping(bridgeId, {
    UpdateExpression:
      "SET #host = :host, addr = :nowhere, epoch = epoch + :one, stopped = :stopped, moves = :moves, moved_ms = :unknown",
    ConditionExpression: "epoch = :seen",
    ExpressionAttributeValues: {
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

/** Notes that the file in which a bridge leaves is whole: from here on another service may have the bridge. */
export async function finishLeaving(bridgeId: string, movedMs: number): Promise<void> {
  await change({
    Key: key(bridgeId),
    UpdateExpression: "SET moved_ms = :moved_ms",
    ConditionExpression: "attribute_exists(moved_ms)",
    ExpressionAttributeValues: { ":moved_ms": movedMs },
  })
}

/** The write by which a bridge that left, as it was seen, is this service's again. */
export function returning({ bridgeId, epoch, stopped }: Info): Write {
  const others = stopped.filter((one) => one !== "moved")
  return stopping(bridgeId, {
    UpdateExpression: "SET #host = :host, epoch = epoch + :one, stopped = :stopped REMOVE moved_ms",
    ConditionExpression: "epoch = :seen AND attribute_exists(moved_ms) AND attribute_not_exists(arriving)",
    ExpressionAttributeValues: {
      ":host": others.length === 0 ? freeHostOf(bridgeId) : STOPPED,
      ":one": 1,
      ":stopped": others,
      ":seen": epoch,
    },
  })
}

function stopping(bridgeId: string, update: Omit<NonNullable<Write["Update"]>, "TableName" | "Key">): Write {
  const names = { ExpressionAttributeNames: { "#host": "host" } }
  return { Update: { TableName: tables.leases, Key: key(bridgeId), ...names, ...update } }
}

/**
 * Claims the rows of a bridge that comes from another service, for one import. An earlier import, which may have died,
 * can write no more of them.
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
    UpdateExpression: "SET arriving = :me",
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
 * The write by which a bridge arrives, with its lease as it left the other service. It wants a host, unless it must not
 * run.
 */
export async function arriving(leftAs: Row, importId: string): Promise<Write> {
  const { bridgeId, epoch, stopped } = fromRow(leftAs)
  const here = await getRow(tables.leases, key(bridgeId))
  const others = stopped.filter((one) => one !== "moved")
  const { moved_ms: _, arriving: _claim, share: _share, ...lease } = leftAs
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
