import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { numberPage } from "../answer.ts"
import { bridgesAsNumbers } from "../api-words.ts"
import { empty, type Html, note, selectField, field } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"
import { lastId, live, type Piece } from "../live.ts"
import { time } from "../times.ts"

/** How many past lines a page shows. */
const most = 300

/**
 * The log of a number, newest first, as all lists are. Its page has the past lines, its stream those behind
 * them.
 */
export const log = new Hono<DashboardEnv>()
  .get("/numbers/:ref/log", async (c) => {
    const { bridge } = c.var
    const filter = filterOf(c.req.query())
    const isWanted = isFiltered(filter) ? (line: string) => matches(line, filter) : undefined
    const past = BridgeLog.isKept() ? await BridgeLog.read(bridge.id, { most, isWanted }) : undefined
    const body = past
      ? linesCard(bridge.customerRef, filter, past)
      : note("info", "This service keeps no logs of numbers.")
    return await numberPage(c, "log", { title: `Log of ${bridge.customerRef}`, body })
  })
  .get("/numbers/:ref/log/stream", async (c) => {
    const filter = filterOf(c.req.query())
    const ended = new AbortController()
    const lines = BridgeLog.followFrom(c.var.bridge.id, await streamStartOf(c), ended.signal)
    const nextPieces = async () => {
      const { value, done } = await lines.next()
      if (done) return "over"
      // One piece for all of them: a stream that breaks off has shown none of them, or all.
      const shown = value.lines
        .filter((line) => matches(line, filter))
        .map((line) => logLine(c.var.bridge.customerRef, line))
      return new Map<string, Piece>([
        [value.at, { html: shown.length === 0 ? "" : html`${shown}`, id: value.at }],
      ])
    }
    return await live(c, 50, nextPieces, () => ended.abort())
  })

/** The place after which a stream goes on: the end of what its page shows, or of what is there now. */
async function streamStartOf(c: Context<DashboardEnv>): Promise<string> {
  const place = lastId(c) ?? c.req.query("from")
  return place ?? (await BridgeLog.read(c.var.bridge.id, { most: 0 })).at
}

interface Filter {
  level: string
  text: string
}

function filterOf({ level = "", text = "" }: Record<string, string>): Filter {
  return { level: level === "WARN" || level === "ERROR" ? level : "", text: text.slice(0, 100) }
}

function isFiltered({ level, text }: Filter): boolean {
  return level !== "" || text !== ""
}

function matches(line: string, { level, text }: Filter): boolean {
  const isOfLevel =
    level === "" ||
    / ERROR /.test(line.slice(0, 40)) ||
    (level === "WARN" && / WARN /.test(line.slice(0, 40)))
  return isOfLevel && line.toLowerCase().includes(text.toLowerCase())
}

const levels = [
  ["", "All levels"],
  ["WARN", "Warnings and errors"],
  ["ERROR", "Errors"],
] as const

/** `at`: the place behind the past lines; `isCut`: older lines were not searched. */
function linesCard(ref: string, filter: Filter, past: { lines: string[]; at: string; isCut: boolean }): Html {
  const query = new URLSearchParams({ ...filter, from: past.at }).toString()
  const none = isFiltered(filter) ? "No line is like that." : "No line yet."
  return html`<form class="inline" method="get" action="/numbers/${ref}/log" aria-label="Filter">
      ${selectField({ name: "level", label: "Level", choices: levels, chosen: filter.level })}
      ${field("Contains", { name: "text", value: filter.text })}
      <button class="button">Filter</button>
    </form>
    <section class="card flush" data-stream="/numbers/${ref}/log/stream?${query}" aria-label="Log">
      <header>
        <h2>Log</h2>
        <button type="button" class="button slim needs-script" data-pause aria-pressed="false">
          Pause this list
        </button>
        <p>
          Newest first. It never has the text of messages, numbers, keys or codes, and is kept for two weeks.
          ${past.isCut ? "This log is long: only its newer lines were searched." : ""}
        </p>
      </header>
      ${past.lines.length === 0 ? empty({ id: "log-empty", about: `${none} What happens next appears here.` }) : ""}
      <ol class="log" id="log" tabindex="0" aria-label="Lines">
        ${past.lines.toReversed().map((line) => logLine(ref, line))}
      </ol>
    </section>`
}

/** One line. Its time begins it, then its level. */
function logLine(ref: string, line: string): Html {
  const [, at = "", rest = line, level = "INFO"] = /^(\S+Z) ((INFO|WARN|ERROR) .*)$/s.exec(line) ?? []
  const ms = Date.parse(at)
  const when = Number.isNaN(ms) ? at : time(ms)
  return html`<li class="level-${level}" data-into="log">
    ${when} ${linked(ref, bridgesAsNumbers(rest).replace(": refused after", ": no connection after"))}
  </li>`
}

/** A text in which events and messages lead to where they are shown. */
export function linked(ref: string, text: string): (Html | string)[] {
  return text.split(/(\bevt_\w+|(?<=\bmessage )[0-9A-Z]{16,}\b)/).map((part, i) => {
    if (i % 2 === 0) return part
    const at = part.startsWith("evt_") ? `events/${part}` : `messages/${part}`
    return html`<a href="/numbers/${ref}/${at}">${part}</a>`
  })
}
