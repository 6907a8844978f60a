export * as DeliveryRow from "./delivery-row.ts"

import { Delivery } from "../event/delivery.ts"
import { Receiver } from "../event/receiver.ts"
import { shardOf } from "../event/waiting-deliveries.ts"
import type { Row, Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"

const { first, key, nobody } = Delivery

/** The write that creates a new bridge's row: nothing waits. */
export function creation(receiver: Receiver.Info): Write {
  return { Put: { TableName: tables.events, Item: newRow(receiver) } }
}

/**
 * The writes that delete the rows along with their bridge. Refused in the first place if a webhook was added or removed
 * since they were read.
 */
export function removals([delivery, ...rest]: Delivery.Info[]): Write[] {
  if (!delivery) return []
  const first: Write = {
    Delete: { TableName: tables.events, Key: key(delivery), ...ifFurtherAre(delivery.further) },
  }
  return [first, ...rest.map((other) => ({ Delete: { TableName: tables.events, Key: key(other) } }))]
}

/** The condition that the first webhook's row still names these further ones. */
function ifFurtherAre(further: string[]) {
  return further.length === 0
    ? { ConditionExpression: "attribute_not_exists(further)" }
    : { ConditionExpression: "further = :further", ExpressionAttributeValues: { ":further": further } }
}

/** The write of a new webhook URL, in one transaction with the bridge's own row. */
export function redirection(bridgeId: string, url: string): Write {
  return {
    Update: {
      TableName: tables.events,
      Key: key(first(bridgeId)),
      UpdateExpression: "SET webhook_url = :url",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeValues: { ":url": url },
    },
  }
}

/** The write of a new webhook secret, with the one that it replaces. */
export function resecreted(
  id: Receiver.Id,
  { sealedSecret, before }: Required<Pick<Receiver.Info, "sealedSecret" | "before">>,
): Write {
  return {
    Update: {
      TableName: tables.events,
      Key: key(id),
      UpdateExpression: "SET webhook_secret = :secret, secret_before = :before, secret_before_until = :until",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeValues: {
        ":secret": sealedSecret,
        ":before": before.sealedSecret,
        ":until": before.until,
      },
    },
  }
}

/** The write that ends the use of a replaced secret. */
export function resecretedFully(id: Receiver.Id): Write {
  return {
    Update: {
      TableName: tables.events,
      Key: key(id),
      UpdateExpression: "REMOVE secret_before, secret_before_until",
      ConditionExpression: "attribute_exists(pk)",
    },
  }
}

function newRow(receiver: Receiver.Info): Row {
  return {
    ...key(receiver),
    shard: shardOf(receiver.bridgeId),
    due: 0,
    head: 0,
    holder: nobody,
    failures: 0,
    attempt: 0,
    attempts: 0,
    retry_at_ms: 0,
    resend: [],
    resend_attempt: 0,
    ...Receiver.toRow(receiver),
  }
}
