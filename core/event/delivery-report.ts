export * as DeliveryReport from "./delivery-report.ts"

import type { Deliveries, DeliveryOfEvent } from "#contract/delivery.ts"
import type { Event } from "#contract/event.ts"
import { Bridge } from "../bridge/bridge.ts"
import { now } from "../platform/clock.ts"
import { AttemptLog } from "./attempt-log.ts"
import { Delivery } from "./delivery.ts"
import { EventLists } from "./event-lists.ts"
import { EventRow } from "./event-row.ts"
import { Filter } from "./filter.ts"
import { Receiver } from "./receiver.ts"

/** How far the deliveries to a webhook have come, without their attempts. */
export type Summary = Omit<Deliveries, "attempts">

/** Contract, "Deliveries" */
export async function summary(id: Receiver.Id): Promise<Summary> {
  const seen = await Delivery.get(id)
  return seen ? await summaryOf(seen) : { waiting: 0, resending: 0 }
}

/** The summary of a delivery that was read already. */
export async function summaryOf(seen: Delivery.Info): Promise<Summary> {
  const { bridgeId, head, resend, skipped, failingSince, recovered, retryAtMs } = seen
  const newest = await EventLists.newestNumber(bridgeId)
  const oldest = newest > head ? await EventRow.get(bridgeId, head + 1) : undefined
  const isResting = seen.holder === Delivery.nobody && retryAtMs > 0
  return {
    waiting: Delivery.waiting({ head, skipped }, newest),
    resending: resend.map(eventsOf).reduce((all, one) => all + one, -(seen.resent?.tried ?? 0)),
    ...(oldest && { head: oldest.eventId, oldest_at: oldest.createdAt }),
    ...(oldest && isResting && { next_attempt_at: now() + Math.ceil(Delivery.waitMs({ retryAtMs }) / 1000) }),
    ...(failingSince !== undefined && { failing_since: failingSince }),
    ...(recovered && { recovered: wireRecovered(recovered) }),
  }
}

export function wireRecovered({ tookMs, ...recovered }: Delivery.Recovered) {
  return { ...recovered, took_ms: tookMs }
}

function eventsOf(asked: Delivery.Asked): number {
  return typeof asked === "number" ? 1 : asked.events
}

/** An event as it was sent, and every attempt at it that is still known. The secret is left out. */
export async function ofEvent(
  bridge: Bridge.Info,
  { receiver, ...id }: Delivery.Info,
  event: EventRow.Info,
): Promise<DeliveryOfEvent> {
  const deliveryKey = await Bridge.deliveryKeyOf(bridge)
  const attempts = await AttemptLog.ofEvent(id, event, deliveryKey)
  return {
    event_id: event.eventId,
    state: event.state,
    created_at: event.createdAt,
    ...(await atEach(bridge, event, deliveryKey)),
    headers: headersOf(event, attempts.at(-1)),
    body: Buffer.from(Receiver.bodyFor(receiver, EventRow.bodyOf(event, deliveryKey))).toString(),
    attempts: attempts.map(({ attempt, isResend, url = "", answer = "", answerHeaders = {} }) => ({
      ...attempt,
      resend: isResend,
      url,
      answer,
      answer_headers: answerHeaders,
    })),
  }
}

/** What became of an event at each webhook, if the bridge has more than one. */
async function atEach(
  bridge: Bridge.Info,
  event: EventRow.Info,
  deliveryKey: Uint8Array,
): Promise<Pick<DeliveryOfEvent, "webhooks">> {
  const [, ...further] = await Delivery.ofBridge(bridge.id)
  if (further.length === 0) return {}
  const body = JSON.parse(EventRow.bodyOf(event, deliveryKey).toString()) as Event // as it was written
  const states = further.map(async (delivery) => {
    const { start, webhookId, receiver } = delivery
    const isWanted = event.n > start && (!receiver.filter || Filter.passes(receiver.filter, body))
    return {
      id: webhookId,
      state: isWanted ? await EventLists.stateAtFurther(delivery, event) : ("not_wanted" as const),
    }
  })
  return { webhooks: [{ id: "first", state: event.state }, ...(await Promise.all(states))] }
}

/** The headers of the last attempt. */
function headersOf(event: EventRow.Info, last: AttemptLog.Known | undefined): Record<string, string> {
  if (!last?.signatures) return {}
  const { signature, standard, undelivered, undelivered_since: since } = last.signatures
  const timestamp = /^t=(\d+)/.exec(signature)?.[1] ?? ""
  return {
    authorization: "Bearer ***",
    "content-type": "application/json",
    "x-webhook-signature": signature,
    ...(last.batch
      ? { "x-webhook-batch": String(last.batch.batch_size) }
      : { "x-webhook-event-id": event.eventId }),
    "x-webhook-attempt": String(last.attempt.attempt),
    ...(last.isResend && { "x-webhook-resend": "true" }),
    ...(undelivered !== undefined && { "x-webhook-undelivered": undelivered }),
    ...(since !== undefined && { "x-webhook-undelivered-since": since }),
    "webhook-id": last.batch?.batch_id ?? event.eventId,
    "webhook-timestamp": timestamp,
    "webhook-signature": standard,
  }
}
