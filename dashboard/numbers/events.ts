import { Hono } from "hono"
import type { Context } from "hono"
import { z } from "zod"
import { EventType } from "#core/contract/event.ts"
import { ApiError } from "#core/error.ts"
import { arrivalsOf } from "#core/event/arrivals.ts"
import { EventHistory } from "#core/event/event-history.ts"
import { EventIndex } from "#core/event/event-index.ts"
import { EventRow } from "#core/event/event-row.ts"
import { nowMs } from "#core/platform/clock.ts"
import { page, sentenceCase } from "../answer.ts"
import type { DashboardEnv } from "../guard.ts"
import { type Piece, lastId, live } from "../live.ts"
import { eventsPage } from "../pages/events.ts"
import { eventItem } from "./event-item.ts"

const perPage = 50
/** Where nobody tells of events, this is how late one is shown. */
const lookEachMs = 1000

/** The filter in a form or a link. Parts that cannot be understood are left out. */
const Filter = z.object({
  type: EventType.optional().catch(undefined),
  direction: z.enum(["in", "out"]).optional().catch(undefined),
  chat: z.string().trim().min(1).max(100).optional().catch(undefined),
  search: z.string().trim().min(1).max(100).optional().catch(undefined),
})

/** A number's events as they come. */
export const events = new Hono<DashboardEnv>()
  .get("/numbers/:ref/events", async (c) => {
    const { bridge, me } = c.var
    const filter = Filter.parse(c.req.query())
    const before = EventRow.numberOf(c.req.query("before") ?? "")
    // Known before the list is read: what comes meanwhile is in both, and shown once.
    const newest = await EventIndex.newest(bridge.id)
    const shown = {
      ref: bridge.customerRef,
      isSandbox: bridge.isSandbox,
      types: EventType.options,
      filter,
      newest,
      hasWebhook: bridge.webhookUrl !== "",
      mayChange: me.role !== "viewer",
      isFirst: before === undefined,
    }
    const title = `Events of ${bridge.customerRef}`
    try {
      const asked = { ...filter, from: before, isNewestFirst: true, limit: perPage }
      const found = await EventHistory.page(bridge, asked)
      const body = eventsPage({ ...shown, ...found, nowMs: nowMs() })
      return await page(c, { title, place: "numbers", body })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const body = eventsPage({ ...shown, events: [], problem: sentenceCase(error.message), nowMs: nowMs() })
      return await page(c, { title, place: "numbers", body, status: error.status })
    }
  })
  .get("/numbers/:ref/events/stream", async (c) => {
    const { bridge, me } = c.var
    const arrivals = arrivalsOf(bridge.id)
    const news = async () => await arrivals.next(lookEachMs, c.req.raw.signal)
    const following = EventHistory.follow(bridge, await beginOf(c), Filter.parse(c.req.query()), news)
    const list = c.req.query("list") === "start" ? "start-events" : "events"
    const maySend = bridge.webhookUrl !== "" && me.role !== "viewer"
    const look = async () => {
      const { value, done } = await following.next()
      if (done) return "over"
      const shown = { nowMs: nowMs(), isNew: true, maySend, list }
      const pieces = new Map<string, Piece>(
        value.events.map((stored) => {
          const html = eventItem(bridge.customerRef, stored, shown)
          return [stored.event_id, { html, id: stored.event_id }]
        }),
      )
      // Events that the filter leaves out are not looked at again after a break.
      return pieces.set("position", { html: "", id: `after_${value.at}` })
    }
    return await live(c, 20, look, () => arrivals.end())
  })

/** The number behind which a stream goes on: that of the event its page has last, or what was the newest for the page. */
async function beginOf(c: Context<DashboardEnv>): Promise<number> {
  const { id } = c.var.bridge
  const lastEventId = lastId(c)
  const [, looked] = /^after_(\d{1,12})$/.exec(lastEventId ?? "") ?? []
  if (looked !== undefined) return Math.min(Number(looked), await EventIndex.newest(id))
  const from = z.coerce.number().int().min(0).optional().catch(undefined).parse(c.req.query("from"))
  const begin = await EventHistory.startOf(id, { lastEventId })
  return lastEventId === undefined ? Math.min(from ?? begin, begin) : begin
}
