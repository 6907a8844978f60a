export * as WebhookSecret from "./webhook-secret.ts"

import { Bridge } from "./bridge.ts"
import { BridgeLog } from "./bridge-log.ts"
import { now } from "../platform/clock.ts"
import { DeliveryRow } from "./delivery-row.ts"
import { ApiError, mustBeHere, noSuchBridge } from "../error.ts"
import type { Delivery } from "../event/delivery.ts"
import { Receiver } from "../event/receiver.ts"
import { open, seal } from "../keys/seal.ts"
import { transact } from "../store/store.ts"
import { tables } from "../store/tables.ts"

/** How long both secrets sign, in seconds (Contract, "Replacing a webhook secret"). */
const overlap = 86_400

/** The secrets that sign a bridge's webhooks now: its own, then the one that it replaces. */
export async function of(bridge: Bridge.Info): Promise<[string, ...string[]]> {
  const { secretBefore } = bridge
  const secret = await Bridge.secretOf(bridge)
  if (!secretBefore || overlapUntil(bridge) === undefined) return [secret]
  const before = open(
    await Bridge.deliveryKeyOf(bridge),
    Bridge.key(bridge.accountId, bridge.customerRef),
    secretBefore.sealed,
  )
  return [secret, before.toString()]
}

/** Until when the replaced secret signs as well, Unix seconds; undefined if only one does. */
export function overlapUntil({ secretBefore }: Bridge.Info): number | undefined {
  return secretBefore && secretBefore.until > now() ? secretBefore.until : undefined
}

/**
 * Gives a webhook a new secret. For a day the old one signs as well.
 * @throws ApiError `secret_overlap` while an earlier one still signs, `not_found`
 */
export async function rollOf(
  bridge: Bridge.Info,
  webhook: Delivery.Info,
): Promise<{ secret: string; until: number }> {
  if (Receiver.isFirst(webhook)) return await roll(bridge)
  const { before, sealedSecret: old } = webhook.receiver
  if (before && before.until > now()) throw new ApiError("secret_overlap")
  const secret = Bridge.newSecret()
  const until = now() + overlap
  const sealedSecret = seal(await Bridge.deliveryKeyOf(bridge), Receiver.key(webhook), secret)
  const { Update } = DeliveryRow.resecreted(webhook, { sealedSecret, before: { sealedSecret: old, until } })
  const refused = await transact([
    {
      Update: {
        ...Update!,
        // Two that roll at once must not drop the secret that the receiver knows.
        ConditionExpression: "webhook_secret = :before AND attribute_not_exists(moved)",
      },
    },
  ])
  mustBeHere({ isMoved: refused?.[0]?.moved === true })
  if (refused?.[0]?.pk !== undefined) throw new ApiError("secret_overlap")
  if (refused) throw noSuchBridge()
  BridgeLog.append(bridge.id, "info", `secret of webhook ${webhook.webhookId} replaced: for a day both sign`)
  return { secret, until }
}

/** Ends the use of the replaced secret now. Does nothing if it has ended. @throws ApiError `not_found` */
export async function finishOf(bridge: Bridge.Info, webhook: Delivery.Info): Promise<void> {
  if (Receiver.isFirst(webhook)) return await finish(bridge)
  const refused = await transact([DeliveryRow.resecretedFully(webhook)])
  if (refused) throw noSuchBridge()
  BridgeLog.append(bridge.id, "info", `the replaced secret of webhook ${webhook.webhookId} signs no more`)
}

/**
 * Gives a bridge a new secret. For a day the old one signs as well, in both rows that hold them, so no delivery lacks a
 * signature that its receiver knows.
 * @throws ApiError `secret_overlap` while an earlier one still signs, `not_found`
 */
export async function roll(bridge: Bridge.Info): Promise<{ secret: string; until: number }> {
  if (overlapUntil(bridge) !== undefined) throw new ApiError("secret_overlap")
  const secret = Bridge.newSecret()
  const until = now() + overlap
  const dataKey = await Bridge.deliveryKeyOf(bridge)
  const old = await Bridge.receiverOf(bridge)
  const rowKey = Bridge.key(bridge.accountId, bridge.customerRef)
  const refused = await transact([
    {
      Update: {
        TableName: tables.accounts,
        Key: rowKey,
        UpdateExpression: "SET webhook_secret = :new, secret_before = :old, secret_before_until = :until",
        // Two that roll at once must not drop the secret that the receiver knows.
        ConditionExpression: "id = :id AND webhook_secret = :old AND attribute_not_exists(moved)",
        ExpressionAttributeValues: {
          ":new": seal(dataKey, rowKey, secret),
          ":old": bridge.sealedSecret,
          ":until": until,
          ":id": bridge.id,
        },
      },
    },
    DeliveryRow.resecreted(Receiver.first(bridge.id), {
      sealedSecret: seal(dataKey, Receiver.key(Receiver.first(bridge.id)), secret),
      before: { sealedSecret: old.sealedSecret, until },
    }),
  ])
  if (!refused) {
    BridgeLog.append(bridge.id, "info", "webhook secret replaced: for a day both sign")
    return { secret, until }
  }
  mustBeHere({ isMoved: refused[0]?.moved === true })
  if (refused[0]?.id === bridge.id) throw new ApiError("secret_overlap")
  throw noSuchBridge()
}

/** Ends the use of the replaced secret now. Does nothing if it has ended. @throws ApiError `not_found` */
export async function finish(bridge: Bridge.Info): Promise<void> {
  if (!bridge.secretBefore) return
  const refused = await transact([
    {
      Update: {
        TableName: tables.accounts,
        Key: Bridge.key(bridge.accountId, bridge.customerRef),
        UpdateExpression: "REMOVE secret_before, secret_before_until",
        // A secret that was replaced meanwhile has its own day.
        ConditionExpression: "id = :id AND secret_before = :before",
        ExpressionAttributeValues: { ":id": bridge.id, ":before": bridge.secretBefore.sealed },
      },
    },
    DeliveryRow.resecretedFully(Receiver.first(bridge.id)),
  ])
  if (refused && refused[0]?.id !== bridge.id) throw noSuchBridge()
  BridgeLog.append(bridge.id, "info", "the replaced webhook secret signs no more")
}
