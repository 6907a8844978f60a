import { Hono } from "hono"
import type { Context } from "hono"
import { EventType } from "#core/contract/event.ts"
import { ApiError, eventNotFound } from "#core/error.ts"
import { AttemptLog } from "#core/event/attempts.ts"
import { Deliveries } from "#core/event/deliveries.ts"
import { EventHistory } from "#core/event/history.ts"
import { EventList } from "#core/event/list.ts"
import { Resend } from "#core/event/resend.ts"
import { EventRow } from "#core/event/row.ts"
import { Turn } from "#core/event/turn.ts"
import { nowMs } from "#core/platform/clock.ts"
import { attemptsCard, deliveriesPage, done, eventPage, headCard } from "#dashboard/pages/deliveries.ts"
import { eventsPage } from "#dashboard/pages/events.ts"
import { eventItem } from "#dashboard/parts/event.ts"
import { note } from "#dashboard/parts/html.ts"
import { Arrivals } from "../../delivery/arrivals.ts"
import { sendTest } from "../../stream/webhook-test.ts"
import { page, sentenceCase } from "../answer.ts"
import type { DashboardEnv } from "../env.ts"
import { live } from "../live.ts"
import { receivingOf, whyOf } from "../evidence.ts"

const perPage = 50
/** Where nobody tells of events, this is how late one is shown. */
const lookEachMs = 1000

/** A number's events as they come, and how they get to its receiver. */
export const events = new Hono<DashboardEnv>()
  .get("/numbers/:ref/events", async (c) => {
    const { bridge, me } = c.var
    const filter = filterOf(c)
    const before = EventRow.numberOf(c.req.query("before") ?? "")
    const shown = {
      ref: bridge.customerRef,
      isSandbox: bridge.isSandbox,
      types: EventType.options,
      filter: { type: filter.type ?? "", chat: filter.chat ?? "" },
      hasWebhook: bridge.webhookUrl !== "",
      mayChange: me.role !== "viewer",
      isFirst: before === undefined,
    }
    try {
      const asked = { ...filter, from: before, isNewestFirst: true, limit: perPage }
      const found = await EventHistory.page(bridge, asked)
      const body = eventsPage({ ...shown, ...found, nowMs: nowMs() })
      return await page(c, { title: `Events of ${bridge.customerRef}`, place: "numbers", body })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const body = eventsPage({ ...shown, events: [], problem: sentenceCase(error.message), nowMs: nowMs() })
      return await page(c, { title: "Events", place: "numbers", body, status: error.status })
    }
  })
  .get("/numbers/:ref/events/stream", (c) => {
    const { bridge, me } = c.var
    const filter = filterOf(c)
    const arrivals = new Arrivals(bridge.id)
    const list = c.req.query("list") === "start" ? "start-events" : "events"
    const maySend = bridge.webhookUrl !== "" && me.role !== "viewer"
    let isFirst = true
    const look = async ({ id }: { id: string | undefined }) => {
      if (!isFirst) await arrivals.next(lookEachMs, c.req.raw.signal)
      isFirst = false
      const from = EventRow.numberOf(id ?? "") ?? 0
      const { events: found } = await EventHistory.page(bridge, { ...filter, from, limit: perPage })
      const at = nowMs()
      return new Map(
        found.map((stored) => {
          const html = eventItem(bridge.customerRef, stored, { nowMs: at, isNew: true, maySend, list })
          return [stored.event_id, { html, id: stored.event_id }]
        }),
      )
    }
    return live(c, 20, look, () => arrivals.end())
  })
  .get("/numbers/:ref/events/:id", async (c) => await showEvent(c))
  .post("/numbers/:ref/events/:id/resend", async (c) => {
    const { bridge } = c.var
    const event = await eventOf(c)
    if (bridge.webhookUrl === "") return await showEvent(c, note("bad", "This number has no webhook."))
    if (event.state === "pending") return await showEvent(c, done("It waits for its turn already."))
    const isAsked = await Resend.ask(bridge.id, event.n)
    if (!isAsked) return await showEvent(c, note("bad", "A hundred events wait to be sent again: try later."))
    return await showEvent(c, done("It is sent again, between two other events and under its own id."))
  })
  .post("/numbers/:ref/events/:id/retry", async (c) => await acted(c, "It is tried now.", Turn.retry))
  .post(
    "/numbers/:ref/events/:id/skip",
    async (c) => await acted(c, "It is given up, and the next event goes out.", (event) => Turn.skip(event)),
  )
  .get("/numbers/:ref/deliveries", async (c) => await showDeliveries(c))
  .get("/numbers/:ref/deliveries/stream", (c) =>
    live(c, lookEachMs, async () => {
      const shown = await shownOf(c)
      return new Map([
        ["head", { html: headCard(shown) }],
        ["attempts", { html: attemptsCard(shown) }],
      ])
    }),
  )
  .post("/numbers/:ref/deliveries/test", async (c) => {
    const attempt = await sendTest(c.var.bridge)
    const words = attempt.success
      ? done(`The receiver took a test event: status ${attempt.status_code}, in ${attempt.latency_ms} ms.`)
      : note("bad", `The receiver did not take a test event. ${whyOf(attempt)}.`)
    return await showDeliveries(c, words)
  })
  .post("/numbers/:ref/deliveries/resend", async (c) => {
    const { bridge } = c.var
    const { events: asked, isAll } = await Resend.askSince(bridge.id, { since: 0, after: 0 })
    const count = asked.length
    const more = isAll ? "" : " The rest has to wait until some of these are sent."
    return await showDeliveries(c, done(`${count} events are sent again.${more}`))
  })

function filterOf(c: Context<DashboardEnv>) {
  const type = EventType.safeParse(c.req.query("type")).data
  const chat = c.req.query("chat")?.trim().slice(0, 100)
  return { ...(type && { type }), ...(chat && { chat }) }
}

async function eventOf(c: Context<DashboardEnv>): Promise<EventRow.Info> {
  const event = await EventList.find(c.var.bridge.id, c.req.param("id") ?? "")
  if (!event) throw eventNotFound()
  return event
}

async function showEvent(c: Context<DashboardEnv>, told?: ReturnType<typeof done>) {
  const { bridge, me } = c.var
  const event = await eventOf(c)
  const [delivery, { head }] = await Promise.all([
    Deliveries.ofEvent(bridge, event),
    Deliveries.summary(bridge.id),
  ])
  const body = eventPage({
    ref: bridge.customerRef,
    isSandbox: bridge.isSandbox,
    type: event.type,
    delivery,
    isHead: head === event.eventId,
    hasWebhook: bridge.webhookUrl !== "",
    mayChange: me.role !== "viewer",
    told,
  })
  return await page(c, { title: `Event of ${bridge.customerRef}`, place: "numbers", body })
}

/** Does it and says so, or says why not. */
async function acted(
  c: Context<DashboardEnv>,
  sentence: string,
  act: (event: EventRow.Info) => Promise<void>,
) {
  try {
    await act(await eventOf(c))
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "not_found") throw error
    return await showEvent(c, note("bad", sentenceCase(error.message)))
  }
  return await showEvent(c, done(sentence))
}

async function showDeliveries(c: Context<DashboardEnv>, told?: ReturnType<typeof done>) {
  const shown = await shownOf(c)
  const title = `Deliveries of ${shown.ref}`
  return await page(c, { title, place: "numbers", body: deliveriesPage({ ...shown, told }) })
}

async function shownOf(c: Context<DashboardEnv>) {
  const { bridge, me } = c.var
  const [receiving, attempts, undelivered] = await Promise.all([
    receivingOf(bridge),
    AttemptLog.latest(bridge.id),
    EventHistory.page(bridge, { state: "undelivered", limit: 100 }),
  ])
  return {
    ref: bridge.customerRef,
    isSandbox: bridge.isSandbox,
    receiving,
    attempts,
    undelivered: undelivered.events,
    mayChange: me.role !== "viewer",
    nowMs: nowMs(),
  }
}
