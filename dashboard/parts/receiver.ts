import { html } from "hono/html"
import { ago, type Html, until } from "./html.ts"

/** How a bridge's events get to their receiver. */
export interface Receiving {
  /** `""`: the hosted inbox. */
  url: string
  /** How many events wait; at most `most` are counted. */
  waiting: number
  /** When the oldest of them came. */
  oldestMs?: number | undefined
  /** Failures in a row of the first one, and when it is tried again. */
  failures: number
  retryAtMs: number
  /** What the latest attempt came to: its status or the kind of its error. */
  lastError?: string | undefined
  lastAtMs?: number | undefined
}

/** Beyond this many, it is told only that there are more. */
export const most = 100

/** "ok", "3 waiting, oldest 40 s", "failing: status 500, next attempt in 18 s". */
export function receiverLine(it: Receiving, nowMs: number): Html {
  if (it.url === "") return html`<span class="muted">Hosted inbox</span>`
  const count = it.waiting >= most ? `${most} or more` : String(it.waiting)
  const queue =
    it.waiting === 0
      ? ""
      : html`${count} waiting${it.oldestMs === undefined ? "" : html`, oldest ${ago(it.oldestMs, nowMs)}`}`
  if (it.failures > 0)
    return html`<span class="state bad">Failing</span>
      <div class="small muted">
        ${it.lastError ? html`${it.lastError}. ` : ""}${
          it.retryAtMs > nowMs
            ? html`Next attempt in ${until(it.retryAtMs, nowMs)}.`
            : "The next attempt is due."
        }
        ${queue}
      </div>`
  if (it.waiting > 0)
    return html`<span class="state warn">Waiting</span>
      <div class="small muted">${queue}</div>`
  return html`<span class="state good">OK</span>
    ${it.lastAtMs === undefined ? html`<div class="small muted">nothing sent yet</div>` : html`<div class="small muted">last delivery ${ago(it.lastAtMs, nowMs)}</div>`}`
}
