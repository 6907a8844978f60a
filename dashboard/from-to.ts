import { html } from "hono/html"
import { z } from "zod"
import { type Html, timeField } from "./elements.ts"

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
