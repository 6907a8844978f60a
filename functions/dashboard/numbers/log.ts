import { Hono } from "hono"
import { BridgeLog } from "#core/bridge/log.ts"
import { type Filter, logLine, logPage, matches } from "#dashboard/pages/log.ts"
import { page } from "../answer.ts"
import type { DashboardEnv } from "../env.ts"
import { live, type Piece } from "../live.ts"

/** How many past lines a page shows. */
const tail = 300

/** The log of a number. Its page has the past lines, its stream the new ones. */
export const log = new Hono<DashboardEnv>()
  .get("/numbers/:ref/log", async (c) => {
    const { bridge } = c.var
    const filter = filterOf(c.req.query())
    const isKept = BridgeLog.isKept()
    const past = isKept ? await BridgeLog.follow(bridge.id, tail).next() : { value: [] }
    const lines = ((past.value ?? []) as string[]).filter((line) => matches(line, filter)) // a generator's first batch
    const body = logPage({ ref: bridge.customerRef, isSandbox: bridge.isSandbox, isKept, filter, lines })
    return await page(c, { title: `Log of ${bridge.customerRef}`, place: "numbers", body })
  })
  .get("/numbers/:ref/log/stream", (c) => {
    const filter = filterOf(c.req.query())
    const ended = new AbortController()
    const lines = BridgeLog.follow(c.var.bridge.id, 0, ended.signal)
    let count = 0
    const look = async () => {
      const { value, done } = await lines.next()
      if (done) return "over"
      const pieces = new Map<string, Piece>()
      for (const line of value)
        if (matches(line, filter)) pieces.set(String(count++), { html: logLine(line) })
      return pieces
    }
    return live(c, 50, look, () => ended.abort())
  })

function filterOf({ level = "", text = "" }: Record<string, string>): Filter {
  return { level: level === "WARN" || level === "ERROR" ? level : "", text: text.slice(0, 100) }
}
