export * as WebhookSecret from "./webhook-secret.ts"

import { randomBytes } from "node:crypto"
import { ApiError, mustBeHere, noSuchBridge } from "../error.ts"
import { AccountReceivers } from "../event/account-receivers.ts"
import { Delivery } from "../event/delivery.ts"
import { Receiver } from "../event/receiver.ts"
import { now } from "../platform/clock.ts"
import { transact } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { BridgeLog } from "./bridge-log.ts"

/** How long both secrets sign, in seconds (Contract, "Webhooks"). */
const overlap = 86_400

/** Contract, "Proof of a delivery" */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`
}

/**
 * The secrets that sign what goes to a bridge's `webhook_url` now: its own, then the one that it replaces,
 * and until when that signs as well.
 * @throws ApiError `not_found`
 */
export async function ofBridge(bridgeId: string) {
  const first = await Delivery.get(Delivery.first(bridgeId))
  if (!first) throw noSuchBridge()
  const { secrets } = await Receiver.keysOf(first.receiver)
  return { secrets, overlapUntil: overlapUntil(first.receiver) }
}

/** Until when the replaced secret signs as well, Unix seconds; undefined if only one does. */
function overlapUntil({ before }: Receiver.Info): number | undefined {
  return before && before.until > now() ? before.until : undefined
}

/**
 * Gives a webhook a new secret. For a day the old one signs as well, so no delivery lacks a signature that
 * its receiver knows.
 * @throws ApiError `secret_overlap` while an earlier one still signs, `not_found`
 */
export async function roll(webhook: Delivery.Info): Promise<{ secret: string; until: number }> {
  const { receiver } = webhook
  if (overlapUntil(receiver) !== undefined) throw new ApiError("secret_overlap")
  const secret = newSecret()
  const until = now() + overlap
  const refused = await transact([
    {
      Update: {
        TableName: tables.events,
        Key: Receiver.key(webhook),
        UpdateExpression: "SET webhook_secret = :new, secret_before = :old, secret_before_until = :until",
        // Two calls that roll at once must not drop the secret that the receiver knows.
        ConditionExpression: "webhook_secret = :old AND attribute_not_exists(moved)",
        ExpressionAttributeValues: {
          ":new": await Receiver.sealed(receiver, secret),
          ":old": receiver.sealedSecret,
          ":until": until,
        },
      },
    },
  ])
  mustBeHere({ isMoved: refused?.[0]?.moved === true })
  if (refused?.[0]?.pk !== undefined) throw new ApiError("secret_overlap")
  if (refused) throw noSuchBridge()
  note(webhook, `secret of webhook ${webhook.webhookId} replaced: for a day both sign`)
  return { secret, until }
}

/** Ends the use of the replaced secret now. Does nothing if it has ended. @throws ApiError `not_found` */
export async function endOverlap(webhook: Delivery.Info): Promise<void> {
  const { before } = webhook.receiver
  if (!before) return
  const refused = await transact([
    {
      Update: {
        TableName: tables.events,
        Key: Receiver.key(webhook),
        UpdateExpression: "REMOVE secret_before, secret_before_until",
        // A secret that was replaced meanwhile has its own day.
        ConditionExpression: "secret_before = :before",
        ExpressionAttributeValues: { ":before": before.sealedSecret },
      },
    },
  ])
  if (refused && refused[0]?.pk === undefined) throw noSuchBridge()
  note(webhook, `the replaced secret of webhook ${webhook.webhookId} signs no more`)
}

/** Says so in the log of the webhook's bridge. An account has no log, but what was read of it is old now. */
function note(webhook: Delivery.Info, line: string): void {
  if (Receiver.isOfAccount(webhook)) AccountReceivers.forget(webhook)
  else BridgeLog.append(webhook.bridgeId, "info", line)
}
