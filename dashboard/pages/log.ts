import { html } from "hono/html"
import { type Html, note, time } from "../elements.ts"
import { numberHead } from "../layout.ts"

export interface Filter {
  level: string
  text: string
}

/** The log of a number, line by line. */
export function logPage(input: {
  ref: string
  isSandbox: boolean
  filter: Filter
  isFiltered: boolean
  /** Past lines, and the place behind them; `isCut` when older lines were not searched. Undefined: none are kept. */
  past: { lines: string[]; at: string; isCut: boolean } | undefined
}): Html {
  const { ref, filter, past } = input
  const query = new URLSearchParams({
    level: filter.level,
    text: filter.text,
    from: past?.at ?? "",
  }).toString()
  return html`${numberHead({ ref, isSandbox: input.isSandbox, tab: "log" })}
  ${
    past
      ? html`<form class="inline" method="get" action="/numbers/${ref}/log" aria-label="Filter">
            <div>
              <label for="level">Level</label>
              <select id="level" name="level">
                <option value="">All levels</option>
                ${["WARN", "ERROR"].map(
                  (level) =>
                    html`<option value="${level}" ${level === filter.level ? "selected" : ""}>
                      ${level === "WARN" ? "Warnings and errors" : "Errors"}
                    </option>`,
                )}
              </select>
            </div>
            <div>
              <label for="text">Contains</label>
              <input id="text" name="text" value="${filter.text}" autocomplete="off" />
            </div>
            <button class="button">Filter</button>
          </form>
          <section class="card flush" data-stream="/numbers/${ref}/log/stream?${query}" aria-label="Log">
            <header>
              <h2>Log</h2>
              <button type="button" class="button slim needs-script" data-pause aria-pressed="false">
                Pause
              </button>
              <p>
                It never has the text of messages, numbers, keys or codes, and is kept for two weeks.
                ${past.isCut ? "This log is long: only its newer lines were searched." : ""}
              </p>
            </header>
            ${
              past.lines.length === 0
                ? html`<div class="empty" id="log-empty">
                    <p>
                      ${input.isFiltered ? "No line is like that." : "No line yet."} What happens next appears
                      here.
                    </p>
                  </div>`
                : ""
            }
            <ol class="log" id="log" data-grows="down" tabindex="0" aria-label="Lines">
              ${past.lines.map(logLine)}
            </ol>
          </section>`
      : note("info", "This service keeps no logs of numbers.")
  }`
}

/** One line. Its time begins it, then its level. */
export function logLine(line: string): Html {
  const [, at = "", rest = line, level = "INFO"] = /^(\S+Z) ((INFO|WARN|ERROR) .*)$/s.exec(line) ?? []
  const ms = Date.parse(at)
  const when = Number.isNaN(ms) ? at : time(ms)
  return html`<li class="level-${level}" data-into="log">${when} ${rest}</li>`
}

/** Lines in one piece. */
export function joined(lines: Html[]): Html | string {
  return lines.length === 0 ? "" : html`${lines}`
}

/** Whether a line is wanted. */
export function matches(line: string, { level, text }: Filter): boolean {
  const isOfLevel =
    level === "" ||
    / ERROR /.test(line.slice(0, 40)) ||
    (level === "WARN" && / WARN /.test(line.slice(0, 40)))
  return isOfLevel && line.toLowerCase().includes(text.toLowerCase())
}
