import * as contract from "#contract/delivery.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import { ApiError, eventNotFound, notItsEvent, rateLimited } from "#core/error.ts"
import { AttemptLog } from "#core/event/attempt-log.ts"
import { DeliveryReport } from "#core/event/delivery-report.ts"
import { EventFeed } from "#core/event/event-feed.ts"
import { EventLists } from "#core/event/event-lists.ts"
import type { EventRow } from "#core/event/event-row.ts"
import { Resend } from "#core/event/resend.ts"
import { retryEvent, skipEvent } from "#core/event/retry-and-skip.ts"
import { contractRouter } from "../http/contract-router.ts"
import { webhookOfQuery } from "../http/webhook-of-query.ts"

const ok = { ok: true as const }

/**
 * The deliveries of a bridge to its webhooks, what a customer may do with them, and the secret that signs
 * them.
 */
export const deliveries = contractRouter()
  .openapi(contract.listDeliveries, async (c) => {
    const webhook = await webhookOfQuery(c.var, c.req.valid("query").webhook)
    const [summary, attempts] = await Promise.all([
      DeliveryReport.summary(webhook),
      AttemptLog.latest(webhook),
    ])
    return c.json({ ...summary, attempts }, 200)
  })
  .openapi(contract.getDelivery, async (c) => {
    const event = await eventOf(c.var.bridge, c.req.valid("param").event_id)
    const webhook = await webhookOfQuery(c.var, c.req.valid("query").webhook)
    return c.json(await DeliveryReport.ofEvent(c.var.bridge, webhook, event), 200)
  })
  .openapi(contract.retryDelivery, async (c) => {
    const event = await eventOf(c.var.bridge, c.req.valid("param").event_id)
    await retryEvent(await webhookOfQuery(c.var, c.req.valid("query").webhook), event)
    return c.json(ok, 202)
  })
  .openapi(contract.skipDelivery, async (c) => {
    const event = await eventOf(c.var.bridge, c.req.valid("param").event_id)
    await skipEvent(await webhookOfQuery(c.var, c.req.valid("query").webhook), event)
    return c.json(ok, 200)
  })
  .openapi(contract.resendSince, async (c) => {
    const { bridge } = c.var
    const { since, until, after } = c.req.valid("json")
    const webhook = await webhookOfQuery(c.var, c.req.valid("query").webhook)
    if (webhook.receiver.url === "")
      throw new ApiError("invalid_webhook_url", "this bridge has no webhook: its events are in its inbox")
    const from = after === undefined ? 0 : await EventLists.numberBehind(bridge.id, after)
    if (from === undefined) throw notItsEvent("after")
    const asked = await Resend.askSpan(webhook, { since, until, after: from })
    if (asked === "full") throw rateLimited(10)
    const { count, more } = asked
    const next = more === undefined ? undefined : await EventFeed.idAt(bridge.id, more)
    return c.json({ ...ok, count, ...(next !== undefined && { next }) }, 202)
  })

async function eventOf(bridge: Bridge.Info, eventId: string): Promise<EventRow.Info> {
  const event = await EventLists.find(bridge.id, eventId)
  if (!event) throw eventNotFound()
  return event
}
