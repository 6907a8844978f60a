import { setTimeout as sleep } from "node:timers/promises"
import { BridgeLog } from "../bridge/bridge-log.ts"
import { eventNotFound, eventNotWaiting } from "../error.ts"
import { now } from "../platform/clock.ts"
import { log } from "../platform/log.ts"
import { transact } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { Delivery } from "./delivery.ts"
import { ring, unhide } from "./doorbell.ts"
import { EventLists } from "./event-lists.ts"
import { EventRow } from "./event-row.ts"
import type { Receiver } from "./receiver.ts"

// The customer may have the event whose turn it is tried at once, also by another address, or give it up. The
// order of events stays as it is.

/** An attempt takes 10 s; this is a little longer. */
const patienceMs = 12_000
const lookEachMs = 250

/**
 * Makes an event's next attempt at once instead of after its wait. It counts as one of the five. Without
 * effect while an attempt is under way.
 * @throws ApiError `not_waiting` if it is not this event's turn, or there is no wait
 */
export async function retryEvent(id: Receiver.Id, event: EventRow.Info): Promise<void> {
  const { bridgeId, n } = event
  const { held, refused } = await Delivery.update(id, {
    UpdateExpression: `SET retry_at_ms = :zero, due = :due, ${Delivery.indexClause}`,
    ConditionExpression: "head = :before AND holder = :nobody AND retry_at_ms > :zero",
    ExpressionAttributeValues: {
      ":zero": 0,
      ":due": now() + Delivery.claimedFor(),
      ":before": n - 1,
      ":nobody": Delivery.nobody,
      ":now": now(),
    },
  })
  if (!held && refused?.head !== n - 1) throw await whyNotWaiting(id, event)
  // An attempt is under way, or the wait has ended already.
  if (!held) return
  BridgeLog.append(bridgeId, "info", `event ${event.type} ${event.eventId} is tried again on request`)
  await wake(held)
}

/**
 * Sends a webhook now what its receiver did not take: the event that waits for its next attempt, and then
 * what was given up. Without effect while an attempt is under way.
 */
export async function tryNow(id: Receiver.Id): Promise<void> {
  const seen = await Delivery.get(id)
  if (!seen || (seen.retryAtMs === 0 && !seen.healing)) return
  const { healing } = seen
  const mustRing = await Delivery.updateAndPromise(seen, {
    set: `retry_at_ms = :zero${healing ? ", healing = :healing" : ""}`,
    // A deliverer that is at work writes both.
    condition: `holder = :nobody_now${healing ? " AND attribute_exists(healing)" : ""}`,
    values: {
      ":zero": 0,
      ":nobody_now": Delivery.nobody,
      ...(healing && { ":healing": { ...healing, resumesAt: 0 } }),
    },
  })
  if (mustRing !== undefined) await wake(seen)
}

/**
 * Gives up the event whose turn it is, as if its attempts had failed: it is undelivered, and the next goes
 * out. An attempt that is under way is waited for, since two events must never be on their way at once.
 * @throws ApiError `not_waiting`, `not_found`
 */
export async function skipEvent(
  id: Receiver.Id,
  event: EventRow.Info,
  { withinMs = patienceMs } = {},
): Promise<void> {
  const until = performance.now() + withinMs
  for (;;) {
    const refused = await giveUp(id, event)
    if (!refused) break
    const [delivery] = refused
    if (!delivery) throw eventNotFound()
    if (Number(delivery.head) !== event.n - 1) throw await whyNotWaiting(id, event)
    if (performance.now() >= until)
      throw eventNotWaiting("an attempt at this event is under way: try again when it has ended")
    await sleep(lookEachMs)
  }
  log.info({ bridgeId: event.bridgeId, eventId: event.eventId }, "event skipped on request")
  BridgeLog.append(event.bridgeId, "warn", `event ${event.type} ${event.eventId} was skipped on request`)
  await wake({ ...id, bell: (await Delivery.get(id))?.bell })
}

async function giveUp(id: Receiver.Id, event: EventRow.Info) {
  const { n } = event
  return await transact([
    {
      Update: {
        TableName: tables.events,
        Key: Delivery.key(id),
        UpdateExpression:
          "SET head = :n, attempt = :zero, failures = :zero, retry_at_ms = :zero, holder = :nobody, due = :due, " +
          `${Delivery.indexClause}, ${Delivery.givingUpClause} REMOVE batch_end`,
        // A claim whose time is over belongs to a deliverer that died.
        ConditionExpression: `head = :before AND (holder = :nobody OR ${Delivery.ifDuePassed})`,
        ExpressionAttributeValues: {
          ":n": n,
          ":before": n - 1,
          ":zero": 0,
          ":one": 1,
          ":nobody": Delivery.nobody,
          ":due": now() + Delivery.claimedFor(),
          ...Delivery.ifDuePassedValues(),
        },
      },
    },
    ...EventLists.settling(id, event, "undelivered"),
  ])
}

async function whyNotWaiting(id: Receiver.Id, event: EventRow.Info) {
  const head = (await Delivery.get(id))?.head ?? 0
  if (event.n <= head)
    return eventNotWaiting("this event does not wait: its delivery has ended, so `resend` sends it again")
  const first = await EventRow.get(event.bridgeId, head + 1)
  return eventNotWaiting(`it is not this event's turn: ${first?.eventId ?? "another"} is before it`)
}

/** Rings, in case the bell that rests is gone. If neither succeeds, the sweep rings. */
async function wake(delivery: Receiver.Id & { bell?: string | undefined }): Promise<void> {
  const { bridgeId, webhookId, bell } = delivery
  await unhide(delivery, bell)
  await ring(delivery).catch((error: unknown) =>
    log.warn({ bridgeId, webhookId, error }, "doorbell not sent"),
  )
}
