export * as Claim from "./claim.ts"

import { latestEnd, now, nowMs } from "../platform/clock.ts"
import { transact } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Delivery } from "./delivery.ts"
import { ring } from "./doorbell.ts"
import { EventRow } from "./event-row.ts"
import type { Receiver } from "./receiver.ts"

// How an invocation takes, keeps and gives back the `DELIVERY` row. `progress.ts` has what it records
// meanwhile.

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
export function ifHeld(
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
 * each time a bridge falls idle.
 * @returns the row, still held, if there is more to do, with the event if one was appended right after the
 * head; undefined when the claim has ended, here or before.
 */
export async function goIdle(
  held: Delivery.Info,
): Promise<{ held: Delivery.Info; event?: EventRow.Info } | undefined> {
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
        UpdateExpression: "SET due = :zero, holder = :nobody, attempt = :zero, head = :head REMOVE since",
        ConditionExpression:
          "holder = :me AND head <= :head AND (attribute_not_exists(resend) OR size(resend) = :zero)",
        ExpressionAttributeValues: {
          ":zero": 0,
          ":nobody": Delivery.nobody,
          ":me": held.holder,
          ":head": held.head,
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
      "SET due = :zero, holder = :nobody, attempt = attempt - :one, head = :head REMOVE since",
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
 * Ends the claim before its next POST and gives back the attempt that was counted for it.
 * @returns false when the claim was lost.
 */
export async function release(held: Delivery.Info): Promise<boolean> {
  const { held: freed, refused } = await Delivery.update(held, {
    UpdateExpression: "SET holder = :nobody, due = :due, attempt = attempt - :one, head = :head",
    ConditionExpression: "holder = :me AND head <= :head",
    ExpressionAttributeValues: {
      ":nobody": Delivery.nobody,
      ":due": now() + Delivery.claimedFor(),
      ":one": 1,
      ":head": held.head,
      ":me": held.holder,
    },
  })
  ifHeld(refused, held, held.head)
  // It has no holder already: our own write, whose answer was lost.
  return freed !== undefined || refused?.holder === Delivery.nobody
}
