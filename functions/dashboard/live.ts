import { setTimeout as sleep } from "node:timers/promises"
import type { Context } from "hono"
import { streamSSE } from "hono/streaming"
import { log } from "#core/platform/log.ts"
import type { Html } from "#dashboard/parts/html.ts"
import type { DashboardEnv } from "./env.ts"

/** A connection lives this long, here as on AWS, where a stream holds a function. The browser connects again at once. */
const livesMs = 60_000
const commentEachMs = 10_000
const againAfterMs = 300

/** What a stream sends: a piece of the page; `id` is where to go on after a break. */
export interface Piece {
  html: Html | string
  id?: string | undefined
}

/**
 * Streams pieces of a page, as server-sent events. `look` is asked again and again, `eachMs` after it answered, and gives
 * what is new: a piece that was sent last under its key is not sent again. `onEnd` is called at the end, perhaps twice.
 */
export function live(
  c: Context<DashboardEnv>,
  eachMs: number,
  look: (last: { id: string | undefined }) => Promise<Map<string, Piece> | "over">,
  onEnd: () => void = () => {},
): Response {
  // Our script hands the last id over when it opens a stream anew, the browser in a header.
  const given = c.req.header("last-event-id") || c.req.query("after")
  const response = streamSSE(
    c,
    async (stream) => {
      stream.onAbort(onEnd)
      const until = performance.now() + livesMs
      const sent = new Map<string, string>()
      let id = given
      let quietSince = 0
      await stream.writeSSE({ data: "", retry: againAfterMs })
      while (!stream.aborted && performance.now() < until) {
        const found = await look({ id })
        if (found === "over") return
        for (const [key, piece] of found) {
          const text = String(await piece.html)
          if (sent.get(key) === text) continue
          sent.set(key, text)
          id = piece.id ?? id
          await stream.writeSSE({ data: text, ...(piece.id !== undefined && { id: piece.id }) })
          quietSince = performance.now()
        }
        if (performance.now() - quietSince >= commentEachMs) {
          quietSince = performance.now()
          await stream.write(": still here\n\n")
        }
        await sleep(eachMs)
      }
      onEnd()
    },
    async (error) => {
      log.error({ error }, "a page's stream broke off")
    },
  )
  response.headers.set("cache-control", "no-store")
  response.headers.set("x-accel-buffering", "no")
  return response
}
