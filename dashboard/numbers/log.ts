import { Hono } from "hono"
import type { Context } from "hono"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { page } from "../answer.ts"
import type { DashboardEnv } from "../guard.ts"
import { type Piece, lastId, live } from "../live.ts"
import { type Filter, joined, logLine, logPage, matches } from "../pages/log.ts"

/** How many past lines a page shows. */
const most = 300

/** The log of a number. Its page has the past lines, its stream those behind them. */
export const log = new Hono<DashboardEnv>()
  .get("/numbers/:ref/log", async (c) => {
    const { bridge } = c.var
    const filter = filterOf(c.req.query())
    const isFiltered = filter.level !== "" || filter.text !== ""
    const asked = { most, isWanted: isFiltered ? (line: string) => matches(line, filter) : undefined }
    const past = BridgeLog.isKept() ? await BridgeLog.read(bridge.id, asked) : undefined
    const body = logPage({ ref: bridge.customerRef, isSandbox: bridge.isSandbox, filter, isFiltered, past })
    return await page(c, { title: `Log of ${bridge.customerRef}`, place: "numbers", body })
  })
  .get("/numbers/:ref/log/stream", async (c) => {
    const filter = filterOf(c.req.query())
    const ended = new AbortController()
    const lines = BridgeLog.after(c.var.bridge.id, await beginOf(c), ended.signal)
    const look = async () => {
      const { value, done } = await lines.next()
      if (done) return "over"
      // One piece for all of them: a stream that breaks off has shown none of them, or all.
      const html = value.lines.filter((line) => matches(line, filter)).map(logLine)
      return new Map<string, Piece>([[value.at, { html: joined(html), id: value.at }]])
    }
    return await live(c, 50, look, () => ended.abort())
  })

/** The place after which a stream goes on: the end of what its page shows, or of what is there now. */
async function beginOf(c: Context<DashboardEnv>): Promise<string> {
  const place = lastId(c) ?? c.req.query("from")
  return place ?? (await BridgeLog.read(c.var.bridge.id, { most: 0 })).at
}

function filterOf({ level = "", text = "" }: Record<string, string>): Filter {
  return { level: level === "WARN" || level === "ERROR" ? level : "", text: text.slice(0, 100) }
}
