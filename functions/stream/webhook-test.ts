import { randomUUID } from "node:crypto"
import { type Attempt, testWebhook } from "#contract/delivery.ts"
import type { Event } from "#contract/event.ts"
import { eventExamples } from "#contract/examples.ts"
import { AccountWebhook } from "#core/bridge/account-webhook.ts"
import { ApiError } from "#core/error.ts"
import type { Delivery } from "#core/event/delivery.ts"
import { EventRow } from "#core/event/event-row.ts"
import { Receiver } from "#core/event/receiver.ts"
import { Connections } from "#core/fetch/safe-fetch.ts"
import { now } from "#core/platform/clock.ts"
import { attempt, batchOf, toWire } from "../delivery/attempt.ts"
import { contractRouter } from "../http/contract-router.ts"
import { webhookOfQuery } from "../http/webhook-of-query.ts"

/**
 * Sends a signed `test` event while the customer waits, and answers with what the receiver did. It is not
 * stored.
 */
export const webhookTest = contractRouter().openapi(testWebhook, async (c) =>
  c.json(
    await sendTest(
      await webhookOfQuery(c.var, c.req.valid("query").webhook, AccountWebhook.chosenAt),
      c.req.valid("query").event,
    ),
    200,
  ),
)

/**
 * Sends an example of an event, signed as real ones are.
 * @throws ApiError `invalid_webhook_url` when there is nowhere to send it.
 */
export async function sendTest(webhook: Delivery.Info, type: Event["event"] = "test"): Promise<Attempt> {
  const { receiver } = webhook
  if (receiver.url === "")
    throw new ApiError(
      "invalid_webhook_url",
      "this bridge has no webhook to test: PATCH it with a webhook_url",
    )

  const isExample = type !== "test" && receiver.format === undefined
  const event: Event = isExample ? eventExamples[type] : { event: "test", timestamp: now() }
  const eventId = EventRow.idOf(webhook.bridgeId, 0, ["test", randomUUID()])
  const body = Receiver.bodyFor(receiver, Buffer.from(JSON.stringify(event)))
  const connections = new Connections()
  try {
    const number = 1
    const outcome = await attempt({
      id: webhook,
      url: receiver.url,
      keys: await Receiver.keysOf(receiver),
      message: webhook.batch === undefined ? { id: eventId, body } : batchOf([{ eventId, body }]),
      number,
      connections,
      isTest: true,
    })
    return toWire({ event: event.event, eventId, number }, outcome)
  } finally {
    await connections.destroy()
  }
}
