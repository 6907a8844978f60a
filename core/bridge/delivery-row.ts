export * as DeliveryRow from "./delivery-row.ts"

import { Delivery } from "../event/delivery.ts"
import { Receiver } from "../event/receiver.ts"
import { shardOf } from "../event/waiting-deliveries.ts"
import type { Row, Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"

const { key, nobody } = Delivery

/** The write that creates a new bridge's row: nothing waits. */
export function creation(receiver: Receiver.Info): Write {
  return { Put: { TableName: tables.events, Item: newRow(receiver) } }
}

/** The write that deletes the row along with its bridge. */
export function removal(bridgeId: string): Write {
  return { Delete: { TableName: tables.events, Key: key(bridgeId) } }
}

/** The write of a new webhook URL, in one transaction with the bridge's own row. */
export function redirection(bridgeId: string, url: string): Write {
  return {
    Update: {
      TableName: tables.events,
      Key: key(bridgeId),
      UpdateExpression: "SET webhook_url = :url",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeValues: { ":url": url },
    },
  }
}

/** The write of a new webhook secret, with the one that it replaces. */
export function resecreted(
  bridgeId: string,
  { sealedSecret, before }: Required<Pick<Receiver.Info, "sealedSecret" | "before">>,
): Write {
  return {
    Update: {
      TableName: tables.events,
      Key: key(bridgeId),
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
export function resecretedFully(bridgeId: string): Write {
  return {
    Update: {
      TableName: tables.events,
      Key: key(bridgeId),
      UpdateExpression: "REMOVE secret_before, secret_before_until",
      ConditionExpression: "attribute_exists(pk)",
    },
  }
}

function newRow(receiver: Receiver.Info): Row {
  return {
    ...key(receiver.bridgeId),
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
