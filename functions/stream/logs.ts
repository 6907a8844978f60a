import { BridgeLog } from "#core/bridge-log.ts"
import { streamLogs } from "#core/contract/log.ts"
import { rateLimited, sessionUnavailable } from "#core/error.ts"
import { log } from "#core/log.ts"
import { StreamPlace } from "#core/stream-place.ts"
import { router } from "../http/router.ts"

/** decisions, "Log stream" */
const perBridge = 2
const perAccount = 10
export const timing = { endsAfterMs: 600_000, commentEachMs: 10_000 }
/** Bytes of lines that nobody reads. */
export const patience = { behind: 16 * 1024 * 1024 }

export const logs = router().openapi(streamLogs, async (c) => {
  const { bridge, accountId } = c.var
  if (!BridgeLog.isKept()) throw sessionUnavailable("the logs of bridges are not kept here")
  const places = await enter(accountId, bridge.id)
  const headers = {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  }
  return c.body(stream(bridge.id, c.req.valid("query").tail, places), 200, headers) as never // no JSON to be typed
})

/** @throws ApiError `rate_limited` when as many streams are open as may be. */
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
    await StreamPlace.leave(place).catch((error: unknown) => log.warn({ error }, "a place was not left"))
}

/** Server-sent events: a line each, a comment now and then, and at the end how soon to come back. */
function stream(bridgeId: string, tail: number, places: StreamPlace.Info[]): ReadableStream<Uint8Array> {
  let isOver = false
  let isCancelled = false
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const write = (text: string) => {
          if (!isOver) controller.enqueue(Buffer.from(text))
          // Whoever does not read is let go.
          if ((controller.desiredSize ?? 0) < -patience.behind) isOver = true
        }
        void (async () => {
          try {
            await copy({ bridgeId, tail, places, write, isOver: () => isOver })
            write("retry: 1000\n\n")
          } catch (error) {
            log.error({ error, bridgeId }, "a log stream broke off")
          }
          await leave(places)
          if (!isCancelled) controller.close()
          isOver = true
        })()
      },
      cancel() {
        isCancelled = true
        isOver = true
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  )
}

async function copy(input: {
  bridgeId: string
  tail: number
  places: StreamPlace.Info[]
  write: (text: string) => void
  isOver: () => boolean
}): Promise<void> {
  const start = performance.now()
  // The first says that the past is over.
  let commentedAt = -Infinity
  for await (const lines of BridgeLog.follow(input.bridgeId, input.tail)) {
    input.write(lines.map((line) => `data: ${BridgeLog.oneLine(line)}\n\n`).join(""))
    const at = performance.now()
    if (input.isOver() || at - start >= timing.endsAfterMs) return
    if (at - commentedAt < timing.commentEachMs) continue
    commentedAt = at
    input.write(": still here\n\n")
    const kept = await Promise.all(input.places.map(StreamPlace.keep))
    if (kept.includes(false)) return
  }
}
