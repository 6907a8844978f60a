import { BridgeLog } from "#core/bridge/log.ts"
import { streamLogs } from "#core/contract/log.ts"
import { rateLimited, sessionUnavailable } from "#core/error.ts"
import { log } from "#core/platform/log.ts"
import { StreamPlace } from "#core/bridge/open-streams.ts"
import { router } from "../http/router.ts"

/** Contract, "Log stream" */
const perBridge = 2
const perAccount = 10
export const timing = { endsAfterMs: 600_000, commentEachMs: 10_000 }

export const logs = router().openapi(streamLogs, async (c) => {
  const { bridge, accountId } = c.var
  if (!BridgeLog.isKept()) throw sessionUnavailable("this service keeps no logs of bridges")
  const places = await enter(accountId, bridge.id)
  const headers = {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  }
  const closed = new AbortController()
  const events = stream(bridge.id, { tail: c.req.valid("query").tail, places, signal: closed.signal })
  // Started now: a generator that was never started would end without giving up its places.
  await events.next()
  // If the reader stalls, the generator waits at a `yield`, where it cannot look at its own clock.
  setTimeout(() => void events.return(undefined), 2 * timing.endsAfterMs).unref()
  return c.body(readable(events, closed), 200, headers) as never // no JSON to be typed
})

/** Nothing is read ahead. The reader may leave while the next event is awaited; `closed` ends that wait. */
function readable(
  events: AsyncGenerator<Uint8Array<ArrayBuffer>>,
  closed: AbortController,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    {
      async pull(reader) {
        const { value } = await events.next()
        if (value) reader.enqueue(value)
        else reader.close()
      },
      async cancel() {
        closed.abort()
        await events.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

/** @throws ApiError `rate_limited` when the most streams allowed are open. */
async function enter(accountId: string, bridgeId: string): Promise<StreamPlace.Info[]> {
  const places: StreamPlace.Info[] = []
  for (const [of, count] of [
    [`LOGS#${bridgeId}`, perBridge],
    [`LOGS#${accountId}`, perAccount],
  ] as const) {
    const place = await StreamPlace.take(of, count)
    if (!place) {
      await leave(places)
      throw rateLimited(10)
    }
    places.push(place)
  }
  return places
}

async function leave(places: StreamPlace.Info[]): Promise<void> {
  for (const place of places)
    await StreamPlace.leave(place).catch((error: unknown) =>
      log.warn({ error }, "a log stream's place was not given up"),
    )
}

/**
 * Server-sent events: one per line, a comment now and then, and at the end how soon to reconnect. Nothing is read
 * ahead, so a client that stops reading stops renewing its places. The stream ends once somebody else has taken one of
 * them.
 */
async function* stream(
  bridgeId: string,
  { tail, places, signal }: { tail: number; places: StreamPlace.Info[]; signal: AbortSignal },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const start = performance.now()
  // The first comment says that the past lines are over.
  let commentedAt = -Infinity
  try {
    yield Buffer.alloc(0)
    for await (const lines of BridgeLog.follow(bridgeId, tail, signal)) {
      if (lines.length > 0)
        yield Buffer.from(lines.map((line) => `data: ${BridgeLog.oneLine(line)}\n\n`).join(""))
      const at = performance.now()
      if (at - start >= timing.endsAfterMs) break
      if (at - commentedAt < timing.commentEachMs) continue
      commentedAt = at
      yield Buffer.from(": still here\n\n")
      const kept = await Promise.all(places.map(StreamPlace.keep))
      if (kept.includes(false)) break
    }
    yield Buffer.from("retry: 1000\n\n")
  } catch (error) {
    if (!signal.aborted) log.error({ error, bridgeId }, "a log stream broke off")
  } finally {
    await leave(places)
  }
}
