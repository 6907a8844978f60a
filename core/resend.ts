export * as Resend from "./resend.ts"

import { now } from "./clock.ts"
import { Delivery } from "./delivery.ts"
import { ring } from "./doorbell.ts"
import { Claim } from "./claim.ts"
import { EventList } from "./event-list.ts"
import { EventRow } from "./event-row.ts"
import { log } from "./log.ts"
import { transact, type Write } from "./store.ts"
import { events } from "./tables.ts"

/** How many may wait at a time. */
const most = 100

/**
 * Asks for an event to be sent once more. The list and the promise that somebody will look are one row: whoever dies
 * here has asked for nothing, or will be found by the sweep.
 * @returns false when too many wait already.
 */
export async function ask(bridgeId: string, n: number): Promise<boolean> {
  let promised: number | undefined
  for (;;) {
    const seen = await Delivery.get(bridgeId)
    // Refused by the very value: our own write, whose answer was lost.
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

/** Where this fails it is the sweep that rings. */
async function rung(bridgeId: string): Promise<true> {
  await ring(bridgeId).catch((error: unknown) => log.warn({ bridgeId, error }, "doorbell not sent"))
  return true
}

/** The attempt that is about to be made of the first that waits; undefined when the claim is lost. */
export async function count(held: Delivery.Info): Promise<Delivery.Info | undefined> {
  const { held: counted } = await Delivery.update(held.bridgeId, {
    UpdateExpression: "SET resend_attempt = if_not_exists(resend_attempt, :zero) + :one",
    ConditionExpression: "holder = :me AND resend[0] = :n",
    ExpressionAttributeValues: { ":zero": 0, ":one": 1, ":me": held.holder, ":n": held.resend[0] },
  })
  return counted
}

/**
 * The first that waits has had its turn, with an attempt or without one. An event that was not delivered before and is
 * now says so, and is listed no more.
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
    // Held by us, and counted for nothing: our own write, whose answer was lost.
    return settled ?? (refused?.holder === holder && refused.resendAttempt === 0 ? refused : undefined)
  }
  const write: Write = { Update: { TableName: events, Key: Delivery.key(bridgeId), ...done } }
  const refused = await transact([write, EventRow.outcome(made.delivered, "delivered"), ...unlisting])
  if (refused?.[0]) return undefined
  // The row of an event may expire meanwhile.
  if (refused) return await settle(held, { attempts: made.attempts })
  return await Claim.refresh(held)
}
