import { html } from "hono/html"
import { iso, nowMs } from "#core/platform/clock.ts"
import type { Html } from "./elements.ts"

// All pages have one time zone: the reader's own. The script writes the times that are here in UTC into it,
// in the form that `data-at` names, and the frame says which zone it is. Without script it is UTC, in which
// days are counted. Rows say when something was, and of today also how long ago.

/** A time, to the second. */
export function time(ms: number): Html {
  return html`<time datetime="${iso(ms)}" data-at="second">${inUtc(ms)}</time>`
}

/** A day. */
export function day(ms: number): Html {
  return html`<time datetime="${iso(ms)}" data-at="day">${iso(ms).slice(0, 10)}</time>`
}

/** A time in a chat, to the minute: without the date, if that is today. */
export function moment(ms: number): Html {
  const whole = inUtc(ms)
  const isToday = iso(ms).slice(0, 10) === iso(nowMs()).slice(0, 10)
  const short = whole.slice(0, 16)
  return html`<time datetime="${iso(ms)}" data-at="moment">${isToday ? short.slice(11) : short}</time>`
}

/** When something was, and how long ago if that was today. The script goes on counting, here and below. */
export function ago(ms: number): Html {
  const isToday = iso(ms).slice(0, 10) === iso(nowMs()).slice(0, 10)
  if (!isToday) return time(ms)
  return html`${time(ms)} <span class="age" data-ago="${ms}">${span(nowMs() - ms)} ago</span>`
}

/** How old something is, as a part of a sentence. */
export function age(ms: number): Html {
  return counted("age", ms, span(nowMs() - ms))
}

/** How long it is until a time. */
export function until(ms: number): Html {
  return counted("until", ms, left(ms - nowMs()))
}

function counted(how: "age" | "until", ms: number, text: string): Html {
  const title = `${inUtc(ms)} UTC`
  return html`<time datetime="${iso(ms)}" data-${how}="${ms}" title="${title}" data-at="title">${text}</time>`
}

function inUtc(ms: number): string {
  return iso(ms).slice(0, 19).replace("T", " ")
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
