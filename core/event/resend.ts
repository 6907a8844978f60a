export * as Resend from "./resend.ts"

import { now } from "../platform/clock.ts"
import { Delivery } from "./delivery.ts"
import { ring } from "./doorbell.ts"
import { Claim } from "./claim.ts"
import { EventList } from "./list.ts"
import { EventRow } from "./row.ts"
import { log } from "../platform/log.ts"
import { transact, type Write } from "../store/store.ts"
import { events } from "../store/tables.ts"

/** How many resends of a bridge may wait at a time. */
const most = 100

/**
 * Requests that an event be sent again. The list and the promise to look are in one row: a process that dies here has
 * either requested nothing, or the sweep finds its request.
 * @returns false when too many wait already.
 */
export async function ask(bridgeId: string, n: number): Promise<boolean> {
  let promised: number | undefined
  for (;;) {
    const seen = await Delivery.get(bridgeId)
    // The row that refused us is the one we wrote: our own write, whose answer was lost.
    if (seen && seen.due === promised && seen.resend.includes(n)) return await rung(bridgeId)
    if (!seen || seen.resend.length >= most) return false

    const append = "resend = list_append(if_not_exists(resend, :none), :n)"
    const room = "(attribute_not_exists(resend) OR size(resend) < :most)"
    const values = { ":none": [], ":n": [n], ":most": most }
    if (seen.due > now()) {
      const { held } = await Delivery.update(bridgeId, {
        UpdateExpression: `SET ${append}`,
        ConditionExpression: `due > :now AND ${room}`,
        ExpressionAttributeValues: { ...values, ":now": now() },
      })
      if (held) return true
      continue
    }
    promised = now() + Delivery.claimedFor
    const { held } = await Delivery.update(bridgeId, {
      UpdateExpression: `SET ${append}, due = :due, holder = :nobody, ${Delivery.inIndex}`,
      ConditionExpression: `due = :seen AND ${room}`,
      ExpressionAttributeValues: {
        ...values,
        ":due": promised,
        ":nobody": Delivery.nobody,
        ":seen": seen.due,
        ":now": now(),
      },
    })
    if (held) return await rung(bridgeId)
  }
}

/** If this fails, the sweep rings. */
async function rung(bridgeId: string): Promise<true> {
  await ring(bridgeId).catch((error: unknown) => log.warn({ bridgeId, error }, "doorbell not sent"))
  return true
}

/** Counts the attempt that is about to be made for the first resend in the list; undefined when the claim is lost. */
export async function count(held: Delivery.Info): Promise<Delivery.Info | undefined> {
  const { held: counted } = await Delivery.update(held.bridgeId, {
    UpdateExpression: "SET resend_attempt = if_not_exists(resend_attempt, :zero) + :one",
    ConditionExpression: "holder = :me AND resend[0] = :n",
    ExpressionAttributeValues: { ":zero": 0, ":one": 1, ":me": held.holder, ":n": held.resend[0] },
  })
  return counted
}

/**
 * Takes the first resend off the list, after an attempt or without one. If the event was undelivered until now, its row
 * says that it is delivered, and it is listed no more.
 * @returns the row as it is now; undefined when the claim is lost.
 */
export async function settle(
  held: Delivery.Info,
  made: { attempts: 0 | 1; delivered?: EventRow.Info },
): Promise<Delivery.Info | undefined> {
  const { bridgeId, holder, resend } = held
  const done = {
    UpdateExpression: "SET resend_attempt = :zero, attempts = attempts + :attempts REMOVE resend[0]",
    ConditionExpression: "holder = :me AND resend[0] = :n AND resend_attempt > :zero",
    ExpressionAttributeValues: { ":zero": 0, ":attempts": made.attempts, ":me": holder, ":n": resend[0] },
  }
  const unlisting = made.delivered ? EventList.unlisting(made.delivered) : []
  if (!made.delivered || unlisting.length === 0) {
    const { held: settled, refused } = await Delivery.update(bridgeId, done)
    // We hold it and no attempt is counted: our own write, whose answer was lost.
    return settled ?? (refused?.holder === holder && refused.resendAttempt === 0 ? refused : undefined)
  }
  const write: Write = { Update: { TableName: events, Key: Delivery.key(bridgeId), ...done } }
  const refused = await transact([write, EventRow.outcome(made.delivered, "delivered"), ...unlisting])
  if (refused?.[0]) return undefined
  // The event's row may have expired meanwhile.
  if (refused) return await settle(held, { attempts: made.attempts })
  return await Claim.refresh(held)
}
