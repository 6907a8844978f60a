import type { Context } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { invalid } from "#core/error.ts"
import { iso, nowMs } from "#core/platform/clock.ts"
import { type Html, timeField } from "./elements.ts"
import { typedIn } from "./form.ts"

const Minute = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/)
  .refine((text) => !Number.isNaN(Date.parse(`${text}Z`)))
  .optional()
  .catch(undefined)

/**
 * A span of time in a filter, to the minute, in UTC: the script has it so, too, whatever the fields show.
 * Parts that cannot be understood are left out.
 */
export const FromTo = z.object({ since: Minute, until: Minute })
export type FromTo = z.infer<typeof FromTo>

/** The beginning of a span and the end of its last minute, in Unix ms. */
export function msOf({ since, until }: FromTo): { sinceMs?: number; untilMs?: number } {
  return {
    ...(since !== undefined && { sinceMs: Date.parse(`${since}Z`) }),
    ...(until !== undefined && { untilMs: Date.parse(`${until}Z`) + 60_000 }),
  }
}

/** The fields in which people choose a span. */
export function fromToFields({ since = "", until = "" }: FromTo): Html {
  return html`${timeField("From", { name: "since", value: since })}
  ${timeField("To", { name: "until", value: until })}`
}

/** A form that sends again what was given up in a span of time, of the last day unless another is typed. */
export function spanForm(action: string, label: string): Html {
  return html`<form class="inline" method="post" action="${action}">
    ${fromToFields({ since: iso(nowMs() - 86_400_000).slice(0, 16) })}
    <button class="button">${label}</button>
  </form>`
}

/** The span that was typed, Unix seconds, both included. @throws ApiError `invalid_request` */
export async function spanIn(c: Context): Promise<{ since: number; until?: number }> {
  const typed = await typedIn(c, "since", "until")
  const span = FromTo.parse(typed)
  for (const path of ["since", "until"] as const)
    if (typed[path] !== "" && span[path] === undefined)
      throw invalid([{ path, message: "not a time: such as 2026-11-30T14:00" }])
  const { sinceMs = 0, untilMs } = msOf(span)
  return { since: sinceMs / 1000, ...(untilMs !== undefined && { until: untilMs / 1000 - 1 }) }
}
