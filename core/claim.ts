export * as Claim from "./claim.ts"

import { now, nowMs } from "./clock.ts"
import { Delivery } from "./delivery.ts"
import { ring } from "./doorbell.ts"
import { EventList } from "./event-list.ts"
import { EventRow } from "./event-row.ts"
import type { Receiver } from "./receiver.ts"
import { transact } from "./store.ts"
import { events } from "./tables.ts"

/**
 * The changes that an invocation makes to the `DELIVERY` row while it holds it. `attempt` is counted ahead: by the claim for the
 * event after `head`, by each advance for the one after that; a claim that ends before it has posted gives the number
 * back. So an event whose first POST succeeds costs one update. The models are in `test/models/doorbell.ts`.
 */

/**
 * Takes the delivery of a bridge for an invocation, and counts the attempt that it may make.
 * @returns the row as held; `early` with the milliseconds to wait when a failed event is not to be tried yet;
 * undefined when somebody else is looking, or when there never was an event.
 */
export async function take(
  bridgeId: string,
  holder: string,
): Promise<Delivery.Info | { early: number } | undefined> {
  const { held, refused: seen } = await Delivery.update(bridgeId, {
    UpdateExpression: `SET holder = :me, due = :due, attempt = attempt + :one, ${Delivery.inIndex}`,
    ConditionExpression: "(holder = :nobody OR due < :now) AND retry_at_ms <= :now_ms",
    ExpressionAttributeValues: {
      ":me": holder,
      ":due": now() + Delivery.claimedFor,
      ":one": 1,
      ":nobody": Delivery.nobody,
      ":now": now(),
      ":now_ms": nowMs(),
    },
  })
  if (held) return held
  // Our own claim, whose answer was lost on its way.
  if (seen?.holder === holder) return seen
  if (seen && seen.holder === Delivery.nobody && seen.retryAtMs > nowMs())
    return { early: seen.retryAtMs - nowMs() }
  return undefined
}

/**
 * The event after `head` was delivered: `head` goes on, and the first attempt of the next event is counted. Nothing is
 * written to the event: what is up to `head` and says nothing else was delivered.
 * @returns the row as it is now; undefined when the claim is lost.
 */
export async function advance(held: Delivery.Info): Promise<Delivery.Info | undefined> {
  const n = held.head + 1
  const { held: advanced, refused } = await Delivery.update(held.bridgeId, {
    UpdateExpression:
      "SET head = :n, attempt = :one, attempts = attempts + :one, failures = :zero, retry_at_ms = :zero",
    ConditionExpression: "head = :head AND holder = :me",
    ExpressionAttributeValues: { ":n": n, ":one": 1, ":zero": 0, ":head": held.head, ":me": held.holder },
  })
  // Held by us, and further on: our own write, whose answer was lost. Nobody else moves it.
  return advanced ?? (refused?.holder === held.holder && refused.head === n ? refused : undefined)
}

/**
 * The event after `head` has another outcome than delivery in time: that is written to its row, with its own time to
 * live, and `head` goes on as it does in `advance`.
 * @returns the row as it is now, which is as it was when an event for the inbox has got an address meanwhile; undefined
 * when the claim is lost.
 */
export async function settle(
  held: Delivery.Info,
  outcome: { state: "delivered" | "undelivered" | "inbox"; attempts: 0 | 1 },
): Promise<Delivery.Info | undefined> {
  const { bridgeId, head, holder } = held
  const event = { bridgeId, n: head + 1 }
  const { state } = outcome
  // The event is posted after all if its customer has just given an address.
  const ifInbox = state === "inbox" ? " AND webhook_url = :inbox" : ""
  const refused = await transact([
    EventRow.outcome(event, state),
    {
      Update: {
        TableName: events,
        Key: Delivery.key(bridgeId),
        UpdateExpression:
          "SET head = :n, attempt = :one, attempts = attempts + :attempts, failures = :zero, retry_at_ms = :zero",
        ConditionExpression: `head = :head AND holder = :me${ifInbox}`,
        ExpressionAttributeValues: {
          ":n": event.n,
          ":one": 1,
          ":attempts": outcome.attempts,
          ":zero": 0,
          ":head": head,
          ":me": holder,
          ...(ifInbox && { ":inbox": "" }),
        },
      },
    },
    ...(state === "delivered" ? [] : [EventList.pointer(event, state)]),
  ])
  return refused?.[0] ? undefined : await refresh(held)
}

/** The row as it is now, read; undefined when the claim is lost. */
export async function refresh(held: Delivery.Info): Promise<Delivery.Info | undefined> {
  const seen = await Delivery.get(held.bridgeId)
  return seen?.holder === held.holder ? seen : undefined
}

/**
 * A failure to be tried again after `wait` seconds, and the end of this claim.
 * @returns false when the claim was lost.
 */
export async function fail(held: Delivery.Info, wait: number): Promise<boolean> {
  const { held: failed } = await Delivery.update(held.bridgeId, {
    UpdateExpression:
      "SET failures = failures + :one, attempts = attempts + :one, due = :due, retry_at_ms = :retry_at_ms, holder = :nobody",
    ConditionExpression: "holder = :me AND head = :head",
    ExpressionAttributeValues: {
      ":one": 1,
      ":due": now() + wait + Delivery.lateness,
      ":retry_at_ms": nowMs() + wait * 1000,
      ":nobody": Delivery.nobody,
      ":me": held.holder,
      ":head": held.head,
    },
  })
  return failed !== undefined
}

/**
 * Nothing waits: the claim ends, unless an event was appended or a resend asked for meanwhile. One transaction, so that
 * there is no moment in which nobody is due to look although something waits.
 * @returns the row, still held, when there is more to do, with the event if that is what came; undefined when the claim
 * has ended, here or before.
 */
export async function goIdle(
  held: Delivery.Info,
): Promise<{ held: Delivery.Info; event?: EventRow.Info } | undefined> {
  const refused = await transact([
    {
      ConditionCheck: {
        TableName: events,
        Key: EventRow.key(held.bridgeId, held.head + 1),
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    {
      Update: {
        TableName: events,
        Key: Delivery.key(held.bridgeId),
        // No event has had the attempt that was counted for the next.
        UpdateExpression: "SET due = :zero, holder = :nobody, attempt = :zero REMOVE since",
        ConditionExpression: "holder = :me AND (attribute_not_exists(resend) OR size(resend) = :zero)",
        ExpressionAttributeValues: { ":zero": 0, ":nobody": Delivery.nobody, ":me": held.holder },
      },
    },
  ])
  if (!refused) return undefined
  const [event] = refused
  const seen = await refresh(held)
  return seen && { held: seen, ...(event && "pk" in event && { event: EventRow.fromRow(event) }) }
}

/**
 * Events after `head` have expired before their turn, which takes a service that stood still for a week: they are passed
 * over. Event `to` is the first that is there.
 * @returns the row as it is now; undefined when the claim is lost.
 */
export async function skip(held: Delivery.Info, to: number): Promise<Delivery.Info | undefined> {
  await transact([
    {
      ConditionCheck: {
        TableName: events,
        Key: EventRow.key(held.bridgeId, held.head + 1),
        // Rows of a transaction may show one by one: this one may only have been late.
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    {
      Update: {
        TableName: events,
        Key: Delivery.key(held.bridgeId),
        UpdateExpression: "SET head = :head, attempt = :one, failures = :zero, retry_at_ms = :zero",
        ConditionExpression: "head = :seen AND holder = :me",
        ExpressionAttributeValues: {
          ":head": to - 1,
          ":seen": held.head,
          ":one": 1,
          ":zero": 0,
          ":me": held.holder,
        },
      },
    },
  ])
  return await refresh(held)
}

/** Writes the receiver into a row of a service of before, unless a PATCH has just done so. */
export async function address(
  held: Delivery.Info,
  receiver: Receiver.Info,
): Promise<Delivery.Info | undefined> {
  const { held: addressed, refused } = await Delivery.update(held.bridgeId, {
    UpdateExpression:
      "SET webhook_url = :url, webhook_secret = :secret, delivery_key = :key, account_id = :account",
    ConditionExpression: "holder = :me AND attribute_not_exists(webhook_url)",
    ExpressionAttributeValues: {
      ":url": receiver.url,
      ":secret": receiver.sealedSecret,
      ":key": receiver.deliveryKey,
      ":account": receiver.accountId,
      ":me": held.holder,
    },
  })
  return addressed ?? (refused?.holder === held.holder ? refused : undefined)
}

/** Ends the claim with more to do: a fresh doorbell goes on, so that no doorbell is received more than some ten times. */
export async function passOn(held: Delivery.Info): Promise<void> {
  if (await letGo(held)) await ring(held.bridgeId)
}

/**
 * Ends the claim before its next POST, and gives back the attempt that was counted for that.
 * @returns false when it was lost to somebody.
 */
export async function letGo(held: Delivery.Info): Promise<boolean> {
  const { held: freed, refused } = await Delivery.update(held.bridgeId, {
    UpdateExpression: "SET holder = :nobody, due = :due, attempt = attempt - :one",
    ConditionExpression: "holder = :me",
    ExpressionAttributeValues: {
      ":nobody": Delivery.nobody,
      ":due": now() + Delivery.claimedFor,
      ":one": 1,
      ":me": held.holder,
    },
  })
  // Held by nobody already: our own write, whose answer was lost.
  return freed !== undefined || refused?.holder === Delivery.nobody
}
