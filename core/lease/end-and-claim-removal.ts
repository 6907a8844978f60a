import { latestEnd, now, timeLeft } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import type { Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { change, GONE, key } from "./lease-row.ts"

// The end of a lease, and of the rows of its bridge.

/**
 * The write that ends a lease for ever: hosts find it and remove what is left of the bridge. An import of the
 * bridge can write no more, and an export cannot finish.
 * @param importId only if this import, and none after it, has claimed the bridge
 */
export function ending(bridgeId: string, importId?: string): Write {
  return {
    Update: {
      TableName: tables.leases,
      Key: key(bridgeId),
      UpdateExpression: "SET #host = :gone, addr = :nowhere, epoch = epoch + :one REMOVE arriving, leaving",
      ConditionExpression: `attribute_exists(pk) AND #host <> :gone${importId ? " AND arriving = :import" : ""}`,
      ExpressionAttributeNames: { "#host": "host" },
      ExpressionAttributeValues: {
        ":gone": GONE,
        ":nowhere": "",
        ":one": 1,
        ...(importId && { ":import": importId }),
      },
    },
  }
}

/** How long a claim on the removal holds, in seconds: two minutes, at 5 s a beat. */
function removalLasts(): number {
  return Math.ceil((24 * config.LEASE_BEAT_MS) / 1000)
}

/** How much longer a claim on the removal holds, in seconds, if it ends at `until`. */
export function removalClaimLeft(until: number): number {
  return timeLeft(until, removalLasts())
}

/**
 * Claims the removal of a deleted bridge's rows for this host, for some two minutes. The host may renew its
 * claim. If it dies, another host goes on when the claim is over.
 * @returns until when the claim holds, Unix seconds; undefined if another host has it, or nothing is left.
 */
export async function claimRemoval(bridgeId: string, hostId: string): Promise<number | undefined> {
  const until = now() + removalLasts()
  const claimed = await change({
    Key: key(bridgeId),
    UpdateExpression: "SET removed_by = :me, removed_until = :until",
    ConditionExpression:
      "#host = :gone AND (attribute_not_exists(removed_until) OR removed_until < :now OR removed_until > :latest OR removed_by = :me)",
    ExpressionAttributeNames: { "#host": "host" },
    ExpressionAttributeValues: {
      ":me": hostId,
      ":until": until,
      ":gone": GONE,
      ":now": now(),
      ":latest": latestEnd(removalLasts()),
    },
  })
  return claimed && until
}
