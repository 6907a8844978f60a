export * as Progress from "./progress.ts"

import { now, nowMs } from "../platform/clock.ts"
import { transact, type Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Claim } from "./claim.ts"
import { Delivery } from "./delivery.ts"
import { EventLists } from "./event-lists.ts"
import { EventRow } from "./event-row.ts"
import { Receiver } from "./receiver.ts"
import { Usage } from "./usage.ts"

/**
 * The changes that an invocation makes to the `DELIVERY` row while it holds the row (`claim.ts`).
 *
 * `attempt` is counted ahead: the claim counts the first attempt of the event after `head`, and each advance
 * counts that of the next. A claim that ends before its POST gives the number back. So an event whose first
 * POST succeeds costs one update.
 *
 * The `head` that a holder knows may be ahead of the row's: an event that its webhook does not want is passed
 * over without a write (`passOver`), and each later write moves the row's `head` there. If the holder dies
 * before, the next one passes over the same events.
 */

/**
 * The events after `head`, up to `to`, were delivered: moves `head` on and counts the first attempt of the
 * next event. Nothing is written to the events' own rows: an event up to `head` without another outcome was
 * delivered.
 * @param more `attempts`: how many are recorded, one for each event that was in the POST; `isLast`: whether
 * nothing more is known to wait, so that this may be written together with the next event
 * @returns the row as it is now; undefined when the claim is lost.
 */
export async function advance(
  held: Delivery.Info,
  {
    to = held.head + 1,
    attempts = 1,
    made = [],
    isLast,
  }: { to?: number; attempts?: number; made?: Usage.Step[]; isLast?: () => boolean } = {},
): Promise<Delivery.Info | undefined> {
  const usage = await counting(held, made)
  const { held: advanced, refused } = await Delivery.update(
    held,
    {
      UpdateExpression:
        "SET head = :n, attempt = :one, attempts = attempts + :attempts, failures = :zero, retry_at_ms = :zero" +
        `${usage.set}${recovering(held)}${telling(held)}`,
      ConditionExpression: "holder = :me AND head < :n",
      ExpressionAttributeValues: {
        ":n": to,
        ":one": 1,
        ":zero": 0,
        ":attempts": attempts,
        ":me": held.holder,
        ...usage.values,
        ...(held.failingSince !== undefined && { ":now": now() }),
      },
    },
    { mayLinger: isLast },
  )
  // We hold it and it has moved on: our own write, whose answer was lost.
  return advanced ?? Claim.ifHeld(refused, held, to)
}

/**
 * The event after `head` has an outcome other than prompt delivery. The outcome of the first webhook is
 * written to the event's row, with its own time to live; that of a further one stands in its lists alone.
 * `head` moves on as in `advance`.
 * @returns the row as it is now, which is unchanged if the bridge got a webhook URL before an event went to
 * the inbox; undefined when the claim is lost.
 */
export async function settle(
  held: Delivery.Info,
  outcome: { state: "delivered" | "undelivered" | "inbox"; attempts: 0 | 1; made?: Usage.Step[] },
): Promise<Delivery.Info | undefined> {
  const { bridgeId, head, holder } = held
  const event = { bridgeId, n: head + 1 }
  const { state } = outcome
  // If the customer has just set a URL, the event is posted after all.
  const ifInbox = state === "inbox" ? " AND webhook_url = :inbox" : ""
  const usage = await counting(held, outcome.made ?? [])
  const isFailure = state === "undelivered"
  const failing = isFailure
    ? `, failing_since = if_not_exists(failing_since, :now), ${Delivery.givingUpClause} REMOVE bell, batch_end`
    : `${recovering(held)}${state === "delivered" ? telling(held) : ""}`
  const advance: Write = {
    Update: {
      TableName: tables.events,
      Key: Delivery.key(held),
      UpdateExpression:
        "SET head = :n, attempt = :one, attempts = attempts + :attempts, failures = :zero, retry_at_ms = :zero" +
        usage.set +
        failing,
      ConditionExpression: `holder = :me AND head < :n${ifInbox}`,
      ExpressionAttributeValues: {
        ":n": event.n,
        ":one": 1,
        ":attempts": outcome.attempts,
        ":zero": 0,
        ":me": holder,
        ...usage.values,
        ...((isFailure || held.failingSince !== undefined) && { ":now": now() }),
        ...(ifInbox && { ":inbox": "" }),
      },
    },
  }
  const refused = await transact([advance, ...EventLists.settling(held, event, state)])
  // The event's own row is gone.
  return refused?.[1] ? undefined : await Claim.reread(held, event.n)
}

/** The part of an update that records that the receiver works, and since when, if it had failed. */
function recovering(held: Delivery.Info): string {
  return `${held.failingSince === undefined ? "" : ", failed_until = :now"} REMOVE failing_since, bell${held.batchEnd === undefined ? "" : ", batch_end"}`
}

/** More of that part: the receiver has been told of what was given up before. */
function telling({ givenUp }: Delivery.Info): string {
  return givenUp === 0 ? "" : ", given_up, given_up_since"
}

/** The part of an update that adds outcomes to today's count. Only the first webhook's are counted. */
export async function counting(held: Delivery.Info, made: Usage.Step[]) {
  if (made.length === 0 || !Receiver.isFirst(held)) return { set: "", values: {} }
  // While the row is held, no other process writes the count.
  await Usage.storeDay(held.bridgeId, held.today)
  return { set: ", today = :today", values: { ":today": made.reduce(Usage.dayWith, held.today) } }
}

/**
 * Moves `head` on to an event that is not posted, and forgets what was recorded of the attempts at the one
 * after `head`.
 * @param missed what is recorded of the missed events, if these are missed
 * @returns the row as it is now; undefined when the claim is lost.
 */
export async function stepTo(
  held: Delivery.Info,
  to: number,
  missed?: Delivery.Missed,
): Promise<Delivery.Info | undefined> {
  const { held: stepped, refused } = await Delivery.update(held, {
    UpdateExpression:
      `SET head = :n, attempt = :one, failures = :zero, retry_at_ms = :zero${missed ? ", missed = :missed" : ""}` +
      " REMOVE batch_end",
    ConditionExpression: "holder = :me AND head < :n",
    ExpressionAttributeValues: {
      ":n": to,
      ":one": 1,
      ":zero": 0,
      ":me": held.holder,
      ...(missed && { ":missed": missed }),
    },
  })
  return stepped ?? Claim.ifHeld(refused, held, to)
}

/**
 * Steps over numbers after `head` that have no event: the events expired before their turn, since the service
 * stood still for 37 days or a further webhook for longer than they are kept; or the numbers are skipped,
 * since the store came back from a backup. `to` is the first event that exists.
 * @returns the row as it is now; undefined when the claim is lost.
 */
export async function stepOver(held: Delivery.Info, to: number): Promise<Delivery.Info | undefined> {
  // Numbers that are skipped are no events.
  const isMissed = !Receiver.isFirst(held) && Delivery.waiting(held, to) > 1
  await transact([
    {
      ConditionCheck: {
        TableName: tables.events,
        Key: EventRow.key(held.bridgeId, held.head + 1),
        // The rows of a transaction may become visible one by one, so this one may merely have been late.
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    {
      Update: {
        TableName: tables.events,
        Key: Delivery.key(held),
        UpdateExpression: `SET head = :to, attempt = :one, failures = :zero, retry_at_ms = :zero${isMissed ? ", missed = :missed" : ""}`,
        ConditionExpression: "holder = :me AND head <= :seen",
        ExpressionAttributeValues: {
          ":to": to - 1,
          ":seen": held.head,
          ":one": 1,
          ":zero": 0,
          ":me": held.holder,
          ...(isMissed && { ":missed": missedUpTo(held, to - 1) }),
        },
      },
    },
  ])
  return await Claim.reread(held, to - 1)
}

/** The events that a webhook has missed once those up to `to` are passed over. */
export function missedUpTo(held: Delivery.Info, to: number, firstId = ""): Delivery.Missed {
  const { events = 0, first = "" } = held.missed ?? {}
  return { events: events + Delivery.waiting(held, to + 1) - 1, first: first || firstId, at: now() }
}

/**
 * Records a failure that is to be tried again after `wait` seconds, and ends the claim.
 * @param more `bell`: the doorbell that waits until then, unless a retry or a skip wakes it before;
 * `batchEnd`: the last event of the POST, if that was a batch; `attempts`: how many are recorded, one for
 * each event
 * @returns false when the claim was lost.
 */
export async function fail(
  held: Delivery.Info,
  wait: number,
  more: {
    bell?: string | undefined
    made?: Usage.Step
    batchEnd?: number | undefined
    attempts?: number
  } = {},
): Promise<boolean> {
  const { bell, made, batchEnd, attempts = 1 } = more
  const usage = await counting(held, made ? [made] : [])
  const retryAtMs = nowMs() + wait * 1000
  const { held: failed, refused } = await Delivery.update(held, {
    UpdateExpression:
      "SET failures = failures + :one, attempts = attempts + :attempts, due = :due, retry_at_ms = :retry_at_ms, holder = :nobody, " +
      `head = :head, failing_since = if_not_exists(failing_since, :now)${bell === undefined ? "" : ", bell = :bell"}` +
      `${batchEnd === undefined ? "" : ", batch_end = :batch_end"}${usage.set}`,
    ConditionExpression: "holder = :me AND head <= :head",
    ExpressionAttributeValues: {
      ":one": 1,
      ":attempts": attempts,
      ":due": now() + wait + Delivery.allowedLateness(),
      ":retry_at_ms": retryAtMs,
      ":now": now(),
      ...usage.values,
      ...(bell !== undefined && { ":bell": bell }),
      ...(batchEnd !== undefined && { ":batch_end": batchEnd }),
      ":nobody": Delivery.nobody,
      ":me": held.holder,
      ":head": held.head,
    },
  })
  Claim.ifHeld(refused, held, held.head)
  // The wait that stands there is ours: our own write, whose answer was lost.
  return failed !== undefined || refused?.retryAtMs === retryAtMs
}
