import { z } from "zod"
import { invalid, issuesOf } from "../error.ts"
import { mayName } from "../fetch/reachable-addresses.ts"
import { config } from "../platform/config.ts"

/** Contract, "Webhooks" */
const WebhookUrl = z
  .string()
  .max(2048, "at most 2,048 characters")
  // Checked before parsing: the URL parser would drop some of these and yield a different URL.
  .refine((url) => !/[\s\p{Cc}]/u.test(url), "must have no spaces or line breaks: write a space as %20")
  .refine((url) => !url.includes("#"), "must have no fragment: leave out the # and everything after it")
  .refine((url) => URL.canParse(url), "not a URL")
  .transform((url) => new URL(url))
  .refine(
    (url) => url.protocol === "https:" || url.protocol === "http:",
    "must begin with http:// or https://",
  )
  .refine((url) => config.STAGE !== "production" || url.protocol === "https:", "https only")
  .refine((url) => url.username === "" && url.password === "", "must have no user name or password")
  .refine((url) => url.port !== "0", "port 0 cannot be called: give your server's port, or none")
  // The addresses behind a name are checked each time it is dialled.
  .refine(
    (url) => mayName(url.hostname),
    "this address is not public: use one that is, or ask the operator of this service to allow it (URL_ALLOW)",
  )
  .transform((url) => url.href)

/**
 * A webhook URL in the form in which it is stored; `""` for the hosted inbox.
 * @param field the name of the field that it came in
 * @throws ApiError `invalid_webhook_url`
 */
export function parseWebhookUrl(given: unknown, field: "webhook_url" | "url" = "webhook_url"): string {
  if (given === "" || given === null) return ""
  const parsed = WebhookUrl.safeParse(given)
  if (parsed.success) return parsed.data
  throw invalid(issuesOf(parsed.error, field), "invalid_webhook_url")
}

/** Whether two URLs name the same place, however they are written (RFC 3986, 6.2.2). */
export function areSame(one: string, other: string): boolean {
  return plain(one) === plain(other)
}

/** A URL as it would be written plainly: `URL` leaves a dot behind the host, an empty query and escapes. */
function plain(url: string): string {
  const parsed = URL.parse(url)
  if (!parsed) return url
  const { protocol, hostname, port, pathname, search } = parsed
  const rest = `${pathname}${search}`.replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number(`0x${escape.slice(1)}`))
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase()
  })
  return [protocol, hostname.replace(/\.$/, ""), port, rest].join(" ")
}
