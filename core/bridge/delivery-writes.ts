export * as DeliveryWrites from "./delivery-writes.ts"

import { Delivery } from "../event/delivery.ts"
import { Receiver } from "../event/receiver.ts"
import { shardOf } from "../event/waiting-deliveries.ts"
import { changesAre } from "../event/webhook-changes.ts"
import { now } from "../platform/clock.ts"
import type { Row, Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"

const { key, nobody } = Delivery

/** The choices for a further webhook, beside its receiver. */
interface Chosen {
  batch?: number
  heals: boolean
}

/** The write that creates the row of a new bridge's first webhook. No event waits yet. */
export function creation(receiver: Receiver.Info): Write {
  return { Put: { TableName: tables.events, Item: newRow(receiver) } }
}

/**
 * The write that creates a further webhook's row, behind the event of the number `newest`. A host may have
 * appended an event since that was read, so a look is promised.
 */
export function furtherCreation(
  receiver: Receiver.Info,
  { newest, skipped, ...chosen }: { newest: number; skipped: Delivery.Info["skipped"] } & Chosen,
): Write {
  const promised = { due: now() + Delivery.claimedFor(), since: now() }
  const about = { created_at: now(), start: newest, head: newest, ...(skipped.length > 0 && { skipped }) }
  return {
    Put: {
      TableName: tables.events,
      Item: { ...newRow(receiver), ...promised, ...about, ...chosen },
      ConditionExpression: "attribute_not_exists(pk)",
    },
  }
}

/** The write that creates the row in which an account has what it chose of a webhook. */
export function choiceOfAccount(receiver: Receiver.Info, chosen: Chosen): Write {
  const Item = { ...newRow(receiver), created_at: now(), ...chosen }
  return { Put: { TableName: tables.events, Item } }
}

/**
 * The write that creates the row of a bridge's delivery to a webhook of its account, behind the event of the
 * number `after`. A look is promised.
 */
export function following(
  first: Delivery.Info,
  { webhookId, after }: { webhookId: string; after: number },
): Write {
  const { bridgeId, receiver, skipped } = first
  const { ":due": due, ":now": since } = promised()
  const about = { created_at: now(), start: after, head: after, ...(skipped.length > 0 && { skipped }) }
  const at = Receiver.toRowAtBridge(receiver)
  return {
    Put: {
      TableName: tables.events,
      Item: { ...unbegun({ bridgeId, webhookId }), ...at, due, since, ...about },
    },
  }
}

/**
 * The write with which a bridge's webhooks, or their URLs, change. Refused if they have since the row of the
 * first was read.
 * @param change what that row says from now on
 */
export function changingWebhooks(
  first: Delivery.Info,
  { further = first.further, url = first.receiver.url }: { further?: string[]; url?: string },
): Write {
  const { condition, values } = changesAre(first.webhookChanges)
  return {
    Update: {
      TableName: tables.events,
      Key: key(first),
      UpdateExpression: "SET further = :further, webhook_url = :url, webhook_changes = :next",
      ConditionExpression: `attribute_exists(pk) AND attribute_not_exists(moved) AND ${condition}`,
      ExpressionAttributeValues: {
        ...values,
        ":further": further,
        ":url": url,
        ":next": first.webhookChanges + 1,
      },
    },
  }
}

/**
 * A change of a webhook's row: attributes with their new values, and attributes that are removed.
 * @param before attributes that must be as they were seen; undefined: absent
 */
export function changing(set: Row, remove: string[], before: Row = {}) {
  const names = [...Object.keys(set), ...remove, ...Object.keys(before)]
  const seen = Object.entries(before).map(([name, value]) =>
    value === undefined ? ` AND attribute_not_exists(#${name})` : ` AND #${name} = :${name}_before`,
  )
  const values = [
    ...Object.entries(set).map(([name, value]) => [`:${name}`, value] as const),
    ...Object.entries(before).flatMap(([name, value]) =>
      value === undefined ? [] : [[`:${name}_before`, value] as const],
    ),
  ]
  const sets = Object.keys(set).map((name) => `#${name} = :${name}`)
  const removes = remove.map((name) => `#${name}`)
  return {
    UpdateExpression: [
      ...(sets.length > 0 ? [`SET ${sets.join(", ")}`] : []),
      ...(removes.length > 0 ? [`REMOVE ${removes.join(", ")}`] : []),
    ].join(" "),
    ConditionExpression: `attribute_exists(pk) AND attribute_not_exists(moved)${seen.join("")}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ...(values.length > 0 && { ExpressionAttributeValues: Object.fromEntries(values) }),
  }
}

/**
 * The writes that delete the rows along with their bridge. The first is refused if a webhook was added or
 * removed since the rows were read.
 */
export function removals([delivery, ...rest]: Delivery.Info[]): Write[] {
  if (!delivery) return []
  const { condition, values } = changesAre(delivery.webhookChanges)
  const first: Write = {
    Delete: {
      TableName: tables.events,
      Key: key(delivery),
      ConditionExpression: condition,
      ExpressionAttributeValues: values,
    },
  }
  return [first, ...rest.map((other) => ({ Delete: { TableName: tables.events, Key: key(other) } }))]
}

/**
 * The writes after which nothing is delivered from here any more. The first is refused as that of `removals`
 * is.
 */
export function leaving([delivery, ...rest]: Delivery.Info[]): Write[] {
  if (!delivery) return []
  const { condition, values } = changesAre(delivery.webhookChanges)
  return [
    moved(delivery, `attribute_exists(pk) AND ${condition}`, values),
    ...rest.map((other) => moved(other, "attribute_exists(pk)")),
  ]
}

function moved(id: Receiver.Id, condition: string, values: Row = {}): Write {
  return {
    Update: {
      TableName: tables.events,
      Key: key(id),
      UpdateExpression: "SET moved = :yes",
      ConditionExpression: condition,
      ExpressionAttributeValues: { ":yes": true, ...values },
    },
  }
}

/**
 * The writes by which deliveries that had left go on here. A look at each is promised.
 * @param lost numbers that no event gets from now on
 */
export function returning(deliveries: Delivery.Info[], lost?: Delivery.Skipped): Write[] {
  return deliveries.map((delivery) => ({
    Update: {
      TableName: tables.events,
      Key: key(delivery),
      UpdateExpression: `SET due = :due, since = :now, holder = :nobody${lost ? ", skipped = :skipped" : ""} REMOVE moved`,
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeValues: {
        ...promised(),
        ":nobody": nobody,
        ...(lost && { ":skipped": Delivery.skippedWith(delivery, lost) }),
      },
    },
  }))
}

/**
 * The row of a delivery that comes from another service, where it left as `row`. It has no holder any more,
 * and a look is promised.
 * @param newest the number of the bridge's newest event
 */
export function arrivingRow(
  row: Row,
  { accountId, wrapped, newest }: { accountId: string; wrapped: Uint8Array; newest: number },
): Row {
  const { moved: _, bell: _rings, ...kept } = row
  const at = { account_id: accountId, delivery_key: wrapped, holder: nobody, arrived: newest }
  if (row.paused_at !== undefined) return { ...kept, ...at }
  return { ...kept, ...at, due: promised()[":due"], since: promised()[":now"] }
}

function promised() {
  return { ":due": now() + Delivery.claimedFor(), ":now": now() }
}

/** The row of a webhook for which no event waits. */
export function newRow(receiver: Receiver.Info): Row {
  return { ...unbegun(receiver), ...Receiver.toRow(receiver) }
}

/** The attributes of a delivery at which nothing has happened yet. */
function unbegun(id: Receiver.Id): Row {
  return {
    ...key(id),
    shard: shardOf(id.bridgeId),
    due: 0,
    head: 0,
    holder: nobody,
    failures: 0,
    attempt: 0,
    attempts: 0,
    retry_at_ms: 0,
    resend: [],
    resend_attempt: 0,
    heals: true,
  }
}
