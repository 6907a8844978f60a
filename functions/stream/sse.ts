import type { Context } from "hono"
import { ApiKey } from "#core/account/api-key.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { rateLimited } from "#core/error.ts"
import { Place } from "#core/limits/place.ts"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import type { ApiEnv } from "../http/contract-router.ts"

/** Contract, "Streams" */
export const timing = { endsAfterMs: 600_000, commentEachMs: 10_000, onLambdaMs: 60_000 }

interface Stream {
  /** The kind of stream. Each kind has places of its own. */
  of: "LOGS" | "EVENTS"
  atMost: { perBridge: number; perAccount: number }
  endsAfterMs: number
  /** Text to send, one batch per look, often an empty one. It ends when `signal` says so. */
  follow: (signal: AbortSignal) => AsyncGenerator<string>
  /** The id behind which a reader goes on that comes back now; without it nobody can. */
  position?: () => string
}

/** Whether this caller asks for a stream. */
export function wantsStream(c: Context): boolean {
  return /(?:^|,) *text\/event-stream\b/i.test(c.req.header("accept") ?? "")
}

/** How long a stream of events lasts. On Lambda an open stream holds one concurrent execution. */
export function eventStreamLastsMs(): number {
  return config.AWS_LAMBDA_FUNCTION_NAME === undefined ? timing.endsAfterMs : timing.onLambdaMs
}

/**
 * Answers with server-sent events.
 * @throws ApiError `rate_limited` when the most streams allowed are open
 */
export async function sendEvents(c: Context<ApiEnv>, input: Stream): Promise<Response> {
  const { bridge, accountId, keyId } = c.var
  const places = await enter(input, bridge.id, accountId)
  const mayGoOn = async () => {
    const rights = [ApiKey.isThere(keyId), Bridge.isThere(bridge), ...places.map(Place.renew)]
    return !(await Promise.all(rights)).includes(false)
  }
  const headers = {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  }
  const closed = new AbortController()
  const events = stream(bridge.id, input, { places, mayGoOn }, closed.signal)
  // Started now: a generator that was never started would end without giving up its places.
  await events.next()
  // If the reader stalls, the generator waits at a `yield`, where it cannot look at its own clock.
  setTimeout(() => void events.return(undefined), 2 * input.endsAfterMs).unref()
  return c.body(readable(events, closed), 200, headers)
}

/**
 * A stream that reads nothing ahead. The reader may leave while the next event is awaited; `closed` ends that
 * wait.
 */
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

async function enter({ of, atMost }: Stream, bridgeId: string, accountId: string): Promise<Place.Info[]> {
  const places: Place.Info[] = []
  for (const [whose, count] of [
    [bridgeId, atMost.perBridge],
    [accountId, atMost.perAccount],
  ] as const) {
    const place = await Place.take(`${of}#${whose}`, count)
    if (!place) {
      await leave(places)
      throw rateLimited(10)
    }
    places.push(place)
  }
  return places
}

async function leave(places: Place.Info[]): Promise<void> {
  for (const place of places)
    await Place.leave(place).catch((error: unknown) =>
      log.warn({ error }, "a stream's place was not given up"),
    )
}

/**
 * The text that is followed, a comment now and then, and at the end how soon to reconnect. It reads nothing
 * ahead, so a client that stops reading stops renewing its places. The stream ends once another stream has
 * taken one of them, its key was revoked or its bridge deleted.
 */
async function* stream(
  bridgeId: string,
  { follow, endsAfterMs, position }: Stream,
  { places, mayGoOn }: { places: Place.Info[]; mayGoOn: () => Promise<boolean> },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const start = performance.now()
  // The first comment says that the past is over.
  let commentedAt = -Infinity
  try {
    yield Buffer.alloc(0)
    for await (const text of follow(signal)) {
      if (text !== "") yield Buffer.from(text)
      const at = performance.now()
      if (at - start >= endsAfterMs) break
      if (at - commentedAt < timing.commentEachMs) continue
      commentedAt = at
      yield Buffer.from(position ? `: still here\nid: ${position()}\n\n` : ": still here\n\n")
      if (!(await mayGoOn())) break
    }
    yield Buffer.from("retry: 1000\n\n")
  } catch (error) {
    if (!signal.aborted) log.error({ error, bridgeId }, "a stream broke off")
  } finally {
    await leave(places)
  }
}
