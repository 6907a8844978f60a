import * as contract from "#core/contract/delivery.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Delivery } from "#core/event/delivery.ts"
import { ApiError, invalid, rateLimited } from "#core/error.ts"
import { EventRow } from "#core/event/row.ts"
import { EventList } from "#core/event/list.ts"
import { Resend } from "#core/event/resend.ts"
import { StoredMedia } from "#core/stored-media.ts"
import { router } from "../http/router.ts"

/** The events of a bridge that wait, were given up, or went to its hosted inbox. */
export const events = router()
  .openapi(contract.listEvents, async (c) => {
    const { bridge } = c.var
    const { state, after, limit } = c.req.valid("query")
    const last = after === undefined ? 0 : await lastSeen(bridge.id, after)
    const head = state === "pending" ? ((await Delivery.get(bridge.id))?.head ?? 0) : 0
    const { maxBytes } = StoredMedia.inline
    const page = await EventList.page(bridge.id, { state, limit, maxBytes, after: Math.max(last, head) })
    const deliveryKey = await Bridge.deliveryKeyOf(bridge)
    const listed = page.map((event) => ({
      event_id: event.eventId,
      state,
      created_at: event.createdAt,
      event: JSON.parse(EventRow.bodyOf(event, deliveryKey).toString()),
    }))
    return c.json(listed, 200)
  })
  .openapi(contract.resendEvent, async (c) => {
    const { bridge } = c.var
    const event = await EventList.find(bridge.id, c.req.valid("param").event_id)
    if (!event) throw new ApiError("not_found", "there is no such event: it may have expired")
    if (bridge.webhookUrl === "")
      throw new ApiError("invalid_webhook_url", "this bridge has no webhook: its events are in its inbox")
    // A pending event is sent in its turn anyway.
    if (event.state !== "pending" && !(await Resend.ask(bridge.id, event.n))) throw rateLimited(10)
    return c.json({ ok: true as const }, 202)
  })

async function lastSeen(bridgeId: string, eventId: string): Promise<number> {
  const n = await EventList.numberOf(bridgeId, eventId)
  if (n !== undefined) return n
  throw invalid([{ path: "after", message: "not an event of this bridge" }])
}
