import { listEvents, type StoredEvent } from "#contract/stored-event.ts"
import { invalid, notItsEvent } from "#core/error.ts"
import { EventFeed } from "#core/event/event-feed.ts"
import { newEventsOf } from "#core/event/new-events.ts"
import { Receiver } from "#core/event/receiver.ts"
import { contractRouter } from "../http/contract-router.ts"
import { eventStreamLastsMs, sendEvents, wantsStream } from "./sse.ts"

/** Contract, "Streams" */
export const mostEventStreams = { perBridge: 5, perAccount: 20 }
/** How late an event may be shown where no process tells of events. */
const lookEachMs = 1000

/**
 * The events of a bridge as they happen, for a caller that asks for a stream. The list is another router's.
 */
export const eventStream = contractRouter().openapi(listEvents, async (c, next) => {
  if (!wantsStream(c)) return (await next()) as never // the other router answers
  const { bridge } = c.var
  const { state, order, type, ...query } = c.req.valid("query")
  const unfit = [state && "state", order === "newest" && "order"].filter((path) => typeof path === "string")
  if (unfit.length > 0)
    throw invalid(
      unfit.map((path) => ({ path, message: "not with a stream, which has all events as they come" })),
    )
  const wanted = { ...query, types: type, chats: c.var.access.chats }
  const header = c.req.header("last-event-id")
  const lastEventId = header ?? wanted.after
  const start = await EventFeed.startOf(bridge.id, { lastEventId, since: wanted.since })
  if (start === undefined) throw notItsEvent(header === undefined ? "after" : "Last-Event-ID")

  let position = await EventFeed.idAt(bridge.id, start)
  const follow = async function* (signal: AbortSignal): AsyncGenerator<string> {
    // Who names no event has had none that could be gone.
    let isBehindOne = lastEventId !== undefined
    // It comes with the first look, since the first comment says that the past is over.
    let place = `id: ${position}\n\n`
    const newEvents = newEventsOf(Receiver.first(bridge.id))
    const news = async () => {
      await newEvents.next(lookEachMs, signal)
      signal.throwIfAborted()
    }
    try {
      for await (const { events, id, missed = 0 } of EventFeed.follow(bridge, start, wanted, news)) {
        position = id ?? position
        const isMissed = isBehindOne && missed > 0
        isBehindOne ||= id !== undefined
        yield place + (isMissed ? missedText(position, missed) : events.map(toText).join(""))
        place = ""
      }
    } finally {
      newEvents.end()
    }
  }
  return await sendEvents(c, {
    of: "EVENTS",
    atMost: mostEventStreams,
    endsAfterMs: eventStreamLastsMs(),
    follow,
    position: () => position,
  })
})

/** Named, so that a browser does not take it for an event of the bridge. */
function missedText(id: string, missed: number): string {
  return `event: missed\nid: ${id}\ndata: ${JSON.stringify({ missed })}\n\n`
}

function toText(event: StoredEvent): string {
  return `id: ${event.event_id}\ndata: ${JSON.stringify(event)}\n\n`
}
