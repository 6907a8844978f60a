import type { Context } from "hono"
import { html } from "hono/html"
import { invalid } from "#core/error.ts"
import { iso, nowMs } from "#core/platform/clock.ts"
import { field, type Html } from "../elements.ts"
import { typedIn } from "../form.ts"

const day = 86_400_000

const at = (name: string, text: string, value: string) =>
  field(text, { name, type: "datetime-local", value, max: "9999-12-31T23:59" })

/** A form that sends again what was given up in a span of time, by the clock. */
export function spanForm(action: string, label: string): Html {
  return html`<form class="inline" method="post" action="${action}">
    ${at("since", "Given up from (UTC)", iso(nowMs() - day).slice(0, 16))}
    ${at("until", "to (empty: until now)", "")}
    <button class="button">${label}</button>
  </form>`
}

/** The span that was typed, Unix seconds. @throws ApiError `invalid_request` */
export async function spanIn(c: Context): Promise<{ since: number; until?: number }> {
  const { since, until } = await typedIn(c, "since", "until")
  const from = since === "" ? 0 : secondsOf("since", since)
  if (until === "") return { since: from }
  // The whole of the minute that was typed.
  return { since: from, until: secondsOf("until", until) + 59 }
}

function secondsOf(path: string, text: string): number {
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? Date.parse(`${text}Z`) : Number.NaN
  if (Number.isNaN(ms)) throw invalid([{ path, message: "not a time: such as 2026-11-30T14:00" }])
  return Math.floor(ms / 1000)
}
