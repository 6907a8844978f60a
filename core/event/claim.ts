export * as Claim from "./claim.ts"

import { latestEnd, now, nowMs } from "../platform/clock.ts"
import { type Row, transact, type Write } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Delivery } from "./delivery.ts"
import { ring } from "./doorbell.ts"
import { EventLists } from "./event-lists.ts"
import { EventRow } from "./event-row.ts"
import { Healing } from "./healing.ts"
import { Receiver } from "./receiver.ts"
import { Usage } from "./usage.ts"

// How an invocation takes, keeps and gives back the `DELIVERY` row, and what it records there meanwhile.
//
// `attempt` is counted ahead: the claim counts the first attempt of the event after `head`, and each advance
// counts that of the next. A claim that ends before its POST gives the number back. So an event whose first
// POST succeeds costs one update.
//
// The `head` that a holder knows may be ahead of the row's: an event that its webhook does not want is passed
// over without a write (`passOver`), and each later write moves the row's `head` there. If the holder dies
// before, the next one passes over the same events.

/**
 * Claims a delivery for an invocation and counts the attempt that it may make.
 * @returns the row as held; `early` with the milliseconds to wait when a failed event may not be tried yet;
 * undefined when another deliverer has it, or when there never was an event.
 */
export async function acquire(
  id: Receiver.Id,
  holder: string,
): Promise<Delivery.Info | { early: number } | undefined> {
  const { held, refused: seen } = await Delivery.update(id, {
    UpdateExpression: `SET holder = :me, due = :due, attempt = attempt + :one, ${Delivery.indexClause}`,
    ConditionExpression: `(holder = :nobody OR ${Delivery.ifDuePassed}) AND (retry_at_ms <= :now_ms OR retry_at_ms > :latest_ms)`,
    ExpressionAttributeValues: {
      ":me": holder,
      ":due": now() + Delivery.claimedFor(),
      ":one": 1,
      ":nobody": Delivery.nobody,
      ...Delivery.ifDuePassedValues(),
      ":now_ms": nowMs(),
      ":latest_ms": latestEnd(Delivery.longestWait * 1000, nowMs()),
    },
  })
  if (held) return held
  // This is our own claim, whose answer was lost.
  if (seen?.holder === holder) return seen
  const early = seen?.holder === Delivery.nobody ? Delivery.waitMs(seen) : 0
  if (early > 0) return { early }
  return undefined
}

/**
 * Reads the row as it is now; undefined when the claim is lost.
 * @param most where its `head` may stand, if a write has just moved it
 */
export async function reread(held: Delivery.Info, most = held.head): Promise<Delivery.Info | undefined> {
  const seen = ifHeld(await Delivery.get(held), held, most)
  return seen && { ...seen, head: Math.max(seen.head, held.head) }
}

/**
 * A row as it was seen, if we hold it. Its `head` then stands at `most` at the furthest, since nobody else
 * moves it.
 * @throws Error where it stands beyond: the events up to there were not delivered
 */
function ifHeld(
  seen: Delivery.Info | undefined,
  { holder }: Delivery.Info,
  most: number,
): Delivery.Info | undefined {
  if (seen?.holder !== holder) return undefined
  if (seen.head > most) throw new Error(`a delivery has come to event ${most}, and its row says ${seen.head}`)
  return seen
}

/**
 * Ends the claim when nothing waits, unless an event was appended or a resend requested meanwhile. It is one
 * transaction, so that there is never a moment in which something waits and no look is due. To clear `due`
 * alone and look at the events once more would not do: that look would be skipped where the answer to the
 * clearing was lost and its repetition refused, or where the deliverer died in between. A producer commits
 * its event before it reads `due`, so one of the two always sees the other. It costs two more write units
 * each time a bridge falls idle. If something is to be sent again by itself, the sweep is to ring for it.
 * @returns the row, still held, if there is more to do, with the event if one was appended right after the
 * head; undefined when the claim has ended, here or before.
 */
export async function goIdle(
  held: Delivery.Info,
): Promise<{ held: Delivery.Info; event?: EventRow.Info } | undefined> {
  const leave = Delivery.outOfIndex(Healing.probeAt(held))
  const refused = await transact([
    {
      ConditionCheck: {
        TableName: tables.events,
        // No event has a skipped number, nor will any get one.
        Key: EventRow.key(held.bridgeId, Delivery.highestNumberUsed(held) + 1),
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    {
      Update: {
        TableName: tables.events,
        Key: Delivery.key(held),
        // The attempt that was counted ahead was never made.
        UpdateExpression: `SET due = :zero, holder = :nobody, attempt = :zero, head = :head${leave.set} REMOVE ${leave.remove}`,
        ConditionExpression:
          "holder = :me AND head <= :head AND (attribute_not_exists(resend) OR size(resend) = :zero)",
        ExpressionAttributeValues: {
          ":zero": 0,
          ":nobody": Delivery.nobody,
          ":me": held.holder,
          ":head": held.head,
          ...leave.values,
        },
      },
    },
  ])
  if (!refused) return undefined
  const [row] = refused
  const event = row && "pk" in row ? EventRow.fromRow(row) : undefined
  const seen = await reread(held)
  return seen && { held: seen, ...(event?.n === seen.head + 1 && { event }) }
}

/**
 * Ends the claim of a delivery that is paused or has moved. No look is due until it goes on, and what waits
 * keeps its place.
 * @returns the row, still held, if it goes on already; undefined when the claim has ended, here or before.
 */
export async function endWhilePaused(held: Delivery.Info): Promise<Delivery.Info | undefined> {
  const { refused } = await Delivery.update(held, {
    UpdateExpression:
      "SET due = :zero, holder = :nobody, attempt = attempt - :one, head = :head REMOVE since, waiting_since",
    ConditionExpression:
      "holder = :me AND head <= :head AND (attribute_exists(paused_at) OR attribute_exists(moved))",
    ExpressionAttributeValues: {
      ":zero": 0,
      ":one": 1,
      ":nobody": Delivery.nobody,
      ":head": held.head,
      ":me": held.holder,
    },
  })
  return refused?.holder === held.holder ? await reread(held) : undefined
}

/**
 * Ends the claim while there is more to do, and rings a fresh doorbell, so that no doorbell is received more
 * than some ten times.
 */
export async function passOn(held: Delivery.Info): Promise<void> {
  if (await release(held)) await ring(held)
}

/**
 * Ends the claim though more waits, while the account's webhook is paused or too many of its receivers fail:
 * the next look is after this wait, unless `AccountWebhook.resume` or a retry ends that.
 * @param bell the doorbell that waits until then
 * @returns the seconds to wait; undefined when the claim was lost
 */
export async function rest(
  held: Delivery.Info,
  bell: string | undefined,
  wait: number = Delivery.longestWait,
): Promise<number | undefined> {
  const retryAtMs = nowMs() + wait * 1000
  const set = `retry_at_ms = :retry_at_ms, failed_until = :now${bell === undefined ? "" : ", bell = :bell"}`
  const values = { ":retry_at_ms": retryAtMs, ":now": now(), ...(bell !== undefined && { ":bell": bell }) }
  return (await release(held, { due: now() + wait + Delivery.allowedLateness(), set, values }))
    ? wait
    : undefined
}

/**
 * Ends the claim before its next POST and gives back the attempt that was counted for it.
 * @returns false when the claim was lost.
 */
export async function release(
  held: Delivery.Info,
  more: { due: number; set?: string; values?: Row } = { due: now() + Delivery.claimedFor() },
): Promise<boolean> {
  const set = more.set === undefined ? "" : `, ${more.set}`
  const { held: freed, refused } = await Delivery.update(held, {
    UpdateExpression: `SET holder = :nobody, due = :due, attempt = attempt - :one, head = :head${set}`,
    ConditionExpression: "holder = :me AND head <= :head",
    ExpressionAttributeValues: {
      ...more.values,
      ":nobody": Delivery.nobody,
      ":due": more.due,
      ":one": 1,
      ":head": held.head,
      ":me": held.holder,
    },
  })
  ifHeld(refused, held, held.head)
  // It has no holder already: our own write, whose answer was lost.
  return freed !== undefined || refused?.holder === Delivery.nobody
}

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
  const healing = Healing.passing(held)
  const { held: advanced, refused } = await Delivery.update(
    held,
    {
      UpdateExpression:
        "SET head = :n, attempt = :one, attempts = attempts + :attempts, failures = :zero, retry_at_ms = :zero" +
        `${usage.set}${healing.set}${recovering(held)}${telling(held)}${healing.remove}`,
      ConditionExpression: "holder = :me AND head < :n",
      ExpressionAttributeValues: {
        ":n": to,
        ":one": 1,
        ":zero": 0,
        ":attempts": attempts,
        ":me": held.holder,
        ...usage.values,
        ...healing.values,
        ...(held.failingSince !== undefined && { ":now": now() }),
      },
    },
    { mayLinger: isLast },
  )
  // We hold it and it has moved on: our own write, whose answer was lost.
  return advanced ?? ifHeld(refused, held, to)
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
  const healing = isFailure ? Healing.beginning(held, event.n) : Healing.passing(held)
  const failing = isFailure
    ? `, failing_since = if_not_exists(failing_since, :now), ${Delivery.givingUpClause} REMOVE bell, batch_end`
    : `${recovering(held)}${state === "delivered" ? telling(held) : ""}${healing.remove}`
  const advance: Write = {
    Update: {
      TableName: tables.events,
      Key: Delivery.key(held),
      UpdateExpression:
        "SET head = :n, attempt = :one, attempts = attempts + :attempts, failures = :zero, retry_at_ms = :zero" +
        usage.set +
        healing.set +
        failing,
      ConditionExpression: `holder = :me AND head < :n${ifInbox}`,
      ExpressionAttributeValues: {
        ":n": event.n,
        ":one": 1,
        ":attempts": outcome.attempts,
        ":zero": 0,
        ":me": holder,
        ...usage.values,
        ...healing.values,
        ...((isFailure || held.failingSince !== undefined) && { ":now": now() }),
        ...(ifInbox && { ":inbox": "" }),
      },
    },
  }
  const refused = await transact([advance, ...EventLists.settling(held, event, state)])
  // The event's own row is gone.
  return refused?.[1] ? undefined : await reread(held, event.n)
}

/** The part of an update that records that the receiver works, and since when, if it had failed. */
function recovering(held: Delivery.Info): string {
  return `${held.failingSince === undefined ? "" : ", failed_until = :now"} REMOVE failing_since, bell${held.batchEnd === undefined ? "" : ", batch_end"}`
}

/** More of that part: the receiver has been told of what was given up before. */
function telling({ givenUp }: Delivery.Info): string {
  return givenUp === 0 ? "" : ", given_up, given_up_since"
}

/** The part of an update that adds outcomes to today's count. */
export async function counting(held: Delivery.Info, made: Usage.Step[]) {
  if (made.length === 0) return { set: "", values: {} }
  // While the row is held, no other process writes the count.
  await Usage.storeDay(held, held.today)
  return {
    set: ", today = :today",
    values: { ":today": Usage.toRow(made.reduce(Usage.dayWith, held.today)!) },
  }
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
  return stepped ?? ifHeld(refused, held, to)
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
  return await reread(held, to - 1)
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
  ifHeld(refused, held, held.head)
  // The wait that stands there is ours: our own write, whose answer was lost.
  return failed !== undefined || refused?.retryAtMs === retryAtMs
}
