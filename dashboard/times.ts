import { html } from "hono/html"
import { iso, nowMs } from "#core/platform/clock.ts"
import type { Html } from "./elements.ts"

// Pages say how long ago something was, or how long it is until then, with the time itself where the pointer
// rests. A record of what happened (the logs, an event, the steps of linking) has the time itself, and what
// is paid or ends at a time has its day.

/** A time: in UTC until the script writes it in the reader's own way. */
export function time(ms: number): Html {
  return html`<time datetime="${iso(ms)}" data-local>${inUtc(ms)}</time>`
}

/** A day: in UTC until the script writes it in the reader's own way. */
export function day(ms: number): Html {
  return html`<time datetime="${iso(ms)}" data-local="day">${iso(ms).slice(0, 10)}</time>`
}

/** A time in a line of a log: without the date, if that is today. */
export function clock(ms: number): Html {
  const whole = inUtc(ms)
  const isToday = iso(ms).slice(0, 10) === iso(nowMs()).slice(0, 10)
  return html`<time datetime="${iso(ms)}" data-local="clock">${isToday ? whole.slice(11) : whole}</time>`
}

/** A time in a chat, to the minute: without the date, if that is today. */
export function moment(ms: number): Html {
  const whole = inUtc(ms)
  const isToday = iso(ms).slice(0, 10) === iso(nowMs()).slice(0, 10)
  const short = `${whole.slice(0, 16)} UTC`
  return html`<time datetime="${iso(ms)}" data-local="moment">${isToday ? short.slice(11) : short}</time>`
}

/** How long ago a time was. The script goes on counting, here and below. */
export function ago(ms: number): Html {
  return counted("ago", ms, `${span(nowMs() - ms)} ago`)
}

/** How old something is, as a part of a sentence. */
export function age(ms: number): Html {
  return counted("age", ms, span(nowMs() - ms))
}

/** How long it is until a time. */
export function until(ms: number): Html {
  return counted("until", ms, left(ms - nowMs()))
}

/**
 * How long ago a time was, and the time itself: for records, whose readers want both, also without a pointer.
 */
export function when(ms: number): Html {
  return html`${ago(ms)} <span class="small muted">${time(ms)}</span>`
}

function counted(how: "ago" | "age" | "until", ms: number, text: string): Html {
  return html`<time datetime="${iso(ms)}" data-${how}="${ms}" title="${inUtc(ms)}">${text}</time>`
}

function inUtc(ms: number): string {
  return `${iso(ms).slice(0, 19).replace("T", " ")} UTC`
}

/** A span, rounded up: three minutes are 3 min at first. */
function left(ms: number): string {
  const unit = ms > 172_800_000 ? 86_400_000 : ms > 3_600_000 ? 3_600_000 : ms > 60_000 ? 60_000 : 1000
  return span(Math.ceil(ms / unit) * unit)
}

/** A span of time as people say it; the script counts in the same way. */
export function span(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000))
  if (s < 60) return `${s} s`
  if (s < 3600) return `${Math.floor(s / 60)} min`
  return s < 172_800 ? `${Math.floor(s / 3600)} h` : `${Math.floor(s / 86_400)} days`
}
