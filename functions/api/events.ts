import * as contract from "#contract/stored-event.ts"
import { ApiError, eventNotFound, notItsEvent, rateLimited } from "#core/error.ts"
import { EventFeed } from "#core/event/event-feed.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { Resend } from "#core/event/resend.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { contractRouter } from "../http/contract-router.ts"
import { webhookOfQuery } from "../http/webhook-of-query.ts"

/** The events of a bridge. */
export const events = contractRouter()
  .openapi(contract.listEvents, async (c) => {
    const { bridge } = c.var
    const { after, order, webhook, type, ...asked } = c.req.valid("query")
    const { events: listed, next } = await EventFeed.page(bridge, {
      ...asked,
      types: type,
      chats: c.var.access.chats,
      // Without a state, the events are the bridge's: their state is that at the first webhook.
      webhook: asked.state && webhook !== "first" ? await webhookOfQuery(c.var, webhook) : undefined,
      from: after === undefined ? undefined : await lastSeen(bridge.id, after),
      isNewestFirst: order === "newest",
      maxBytes: AnswerInBucket.longestInline.maxBytes,
    })
    if (next !== undefined) c.header("x-next-after", next)
    return c.json(listed, 200)
  })
  .openapi(contract.resendEvent, async (c) => {
    const { bridge } = c.var
    const event = await EventLists.find(bridge.id, c.req.valid("param").event_id)
    if (!event) throw eventNotFound()
    const webhook = await webhookOfQuery(c.var, c.req.valid("query").webhook)
    if (webhook.receiver.url === "")
      throw new ApiError("invalid_webhook_url", "this bridge has no webhook: its events are in its inbox")
    if ((await Resend.ask(webhook, event.n)) === "full") throw rateLimited(10)
    return c.json({ ok: true as const }, 202)
  })

async function lastSeen(bridgeId: string, eventId: string): Promise<number> {
  const n = await EventLists.numberBehind(bridgeId, eventId)
  if (n !== undefined) return n
  throw notItsEvent("after")
}
