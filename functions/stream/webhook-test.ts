import type { Bridge } from "#core/bridge/bridge.ts"
import { randomUUID } from "node:crypto"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { now } from "#core/platform/clock.ts"
import { type Attempt, testWebhook } from "#core/contract/delivery.ts"
import type { Event } from "#core/contract/event.ts"
import { ApiError } from "#core/error.ts"
import { EventRow } from "#core/event/event-row.ts"
import { Connections } from "#core/fetch/connections.ts"
import { attempt, toWire } from "../delivery/attempt.ts"
import { contractRouter } from "../http/contract-router.ts"

/** Sends a signed `test` event while the customer waits, and answers with what the receiver did. It is not stored. */
export const webhookTest = contractRouter().openapi(testWebhook, async (c) =>
  c.json(await sendTest(c.var.bridge), 200),
)

/** @throws ApiError `invalid_webhook_url` when there is nowhere to send it. */
export async function sendTest(bridge: Bridge.Info): Promise<Attempt> {
  if (bridge.webhookUrl === "")
    throw new ApiError(
      "invalid_webhook_url",
      "this bridge has no webhook to test: PATCH it with a webhook_url",
    )

  const event: Event = { event: "test", timestamp: now() }
  const eventId = EventRow.idOf(bridge.id, 0, ["test", randomUUID()])
  const connections = new Connections()
  try {
    const number = 1
    const outcome = await attempt({
      bridgeId: bridge.id,
      url: bridge.webhookUrl,
      secrets: await WebhookSecret.of(bridge),
      eventId,
      number,
      body: Buffer.from(JSON.stringify(event)),
      connections,
    })
    return toWire({ event: event.event, eventId, number }, outcome)
  } finally {
    await connections.destroy()
  }
}
