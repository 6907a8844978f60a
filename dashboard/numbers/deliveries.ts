import { Hono } from "hono"
import type { Context } from "hono"
import { ApiError, eventNotFound } from "#core/error.ts"
import { AttemptLog } from "#core/event/attempt-log.ts"
import { DeliveryReport } from "#core/event/delivery-report.ts"
import { EventHistory } from "#core/event/event-history.ts"
import { EventIndex } from "#core/event/event-index.ts"
import type { EventRow } from "#core/event/event-row.ts"
import { Resend } from "#core/event/resend.ts"
import { retryEvent, skipEvent } from "#core/event/retry-and-skip.ts"
import { now, nowMs } from "#core/platform/clock.ts"
import { sendTest } from "#functions/stream/webhook-test.ts"
import { page, sentenceCase } from "../answer.ts"
import { note } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"
import { type Piece, live } from "../live.ts"
import { attemptsCard, deliveriesPage, givenUpCard, headCard } from "../pages/deliveries.ts"
import { eventPage } from "../pages/event.ts"
import { receivingOf } from "./evidence.ts"
import { whyOf } from "./receiver.ts"

const lookEachMs = 2000
const givenUpEachMs = 15_000
/** How many of the events that were given up are shown. */
const mostGivenUp = 20

const resendNotes = {
  noted: note("good", "Queued for resending, with the same id."),
  waits: note("good", "It waits for its turn already."),
  full: note("bad", "A hundred events wait to be sent again: try later."),
}

/** How a number's events get to its receiver, and what became of each. */
export const deliveries = new Hono<DashboardEnv>()
  .get("/numbers/:ref/events/:id", async (c) => await showEvent(c))
  .post("/numbers/:ref/events/:id/resend", async (c) => {
    const { bridge } = c.var
    const event = await eventOf(c)
    if (bridge.webhookUrl === "") return await showEvent(c, note("bad", "This number has no webhook."))
    return await showEvent(c, resendNotes[await Resend.ask(event)])
  })
  .post("/numbers/:ref/events/:id/retry", async (c) => await acted(c, "It is tried now.", retryEvent))
  .post(
    "/numbers/:ref/events/:id/skip",
    async (c) => await acted(c, "It is given up, and the next event goes out.", (event) => skipEvent(event)),
  )
  .get("/numbers/:ref/deliveries", async (c) => await showDeliveries(c))
  .get("/numbers/:ref/deliveries/stream", (c) => live(c, lookEachMs, follower(c)))
  .post("/numbers/:ref/deliveries/test", async (c) => {
    if (c.var.bridge.webhookUrl === "") return await showDeliveries(c)
    const attempt = await sendTest(c.var.bridge)
    const words = attempt.success
      ? `The receiver took a test event: status ${attempt.status_code}, in ${attempt.latency_ms} ms.`
      : `The receiver did not take a test event. ${whyOf(attempt)}.`
    return await showDeliveries(c, note(attempt.success ? "good" : "bad", words))
  })
  .post("/numbers/:ref/deliveries/resend", async (c) => {
    const { bridge } = c.var
    if (bridge.webhookUrl === "") return await showDeliveries(c)
    const { within } = await c.req.parseBody()
    const since = typeof within === "string" && /^\d{1,9}$/.test(within) ? now() - Number(within) : 0
    const { events: asked, isAll } = await Resend.askSince(bridge.id, { since, after: 0 })
    if (asked.length === 0 && isAll)
      return await showDeliveries(c, note("info", "Nothing was given up in that time."))
    if (asked.length === 0)
      return await showDeliveries(
        c,
        note("bad", "The list of events to send again is full. Try again when some of them have been sent."),
      )
    const count = asked.length === 1 ? "One event is" : `${asked.length} events are`
    const more = isAll ? "" : " The rest has to wait until some of these are sent: ask again then."
    return await showDeliveries(c, note("good", `${count} sent again.${more}`))
  })

async function eventOf(c: Context<DashboardEnv>): Promise<EventRow.Info> {
  const event = await EventIndex.find(c.var.bridge.id, c.req.param("id") ?? "")
  if (!event) throw eventNotFound()
  return event
}

async function showEvent(c: Context<DashboardEnv>, told?: ReturnType<typeof note>) {
  const { bridge, me } = c.var
  const event = await eventOf(c)
  const [delivery, { head }] = await Promise.all([
    DeliveryReport.ofEvent(bridge, event),
    DeliveryReport.summary(bridge.id),
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
  return await showEvent(c, note("good", sentence))
}

async function showDeliveries(c: Context<DashboardEnv>, told?: ReturnType<typeof note>) {
  const [shown, givenUp] = await Promise.all([shownOf(c), givenUpOf(c)])
  const title = `Deliveries of ${shown.ref}`
  return await page(c, { title, place: "numbers", body: deliveriesPage({ ...shown, ...givenUp, told }) })
}

/** Looks at the receiver each time; at the events that were given up when others are listed, and now and then. */
function follower(c: Context<DashboardEnv>) {
  let givenUp: GivenUp | undefined
  let listed = ""
  let readAtMs = -Infinity
  return async (): Promise<Map<string, Piece>> => {
    const pointers = await EventIndex.newestPointers(c.var.bridge.id, "undelivered", mostGivenUp + 1)
    if (pointers.join(" ") !== listed || performance.now() - readAtMs >= givenUpEachMs) {
      listed = pointers.join(" ")
      readAtMs = performance.now()
      givenUp = (await givenUpOf(c).catch(unlessTidied)) ?? givenUp
    }
    const shown = await shownOf(c)
    const pieces = new Map<string, Piece>([["head", { html: headCard(shown) }]])
    if (givenUp) pieces.set("given-up", { html: givenUpCard({ ...shown, ...givenUp }) })
    return pieces.set("attempts", { html: attemptsCard(shown) })
  }
}

/** A list that is being tidied up is shorter at the next look; meanwhile the page keeps what it shows. */
function unlessTidied(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.code !== "session_unavailable") throw error
}

/** The parts that the page shows and its stream renews. */
async function shownOf(c: Context<DashboardEnv>) {
  const { bridge, me } = c.var
  const attempts = await AttemptLog.latest(bridge.id)
  return {
    ref: bridge.customerRef,
    isSandbox: bridge.isSandbox,
    receiving: await receivingOf(bridge, attempts),
    attempts,
    mayChange: me.role !== "viewer",
    nowMs: nowMs(),
  }
}

type GivenUp = Awaited<ReturnType<typeof givenUpOf>>

async function givenUpOf(c: Context<DashboardEnv>) {
  const asked = { state: "undelivered", isNewestFirst: true, limit: mostGivenUp } as const
  const { events, next } = await EventHistory.page(c.var.bridge, asked)
  return { undelivered: events, hasMore: next !== undefined }
}
