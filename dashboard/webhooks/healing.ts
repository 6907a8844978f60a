import { html } from "hono/html"
import type { Delivery } from "#core/event/delivery.ts"
import { buttonForm, type Html } from "../elements.ts"
import { moment } from "../times.ts"

/** What a webhook last sent again by itself: "Back at 14:31: 212 events sent again in 9 s". */
export function recovery({ healing, recovered }: Delivery.Info): Html | string {
  if (healing?.backMs !== undefined)
    return html`<p class="small">
      Back at ${moment(healing.backMs)}: ${countOf(healing.sent)} sent again until now.
    </p>`
  if (!recovered) return ""
  const { at, events, left, tookMs } = recovered
  const rest = left === 0 ? "" : ` ${countOf(left)} failed again and stayed undelivered.`
  return html`<p class="small">
    Back at ${moment(at * 1000)}: ${countOf(events)} sent again in ${Math.max(1, Math.round(tookMs / 1000))}
    s.${rest}
  </p>`
}

function countOf(events: number): string {
  return events === 1 ? "1 event" : `${events.toLocaleString("en")} events`
}

/** The choice whether a webhook sends again by itself, at this path. */
export function healingForm(at: string, { heals }: Delivery.Info): Html {
  return html`<details class="plain">
    <summary>After a failure: ${heals ? "sends again by itself" : "sends nothing again by itself"}</summary>
    <p class="small">
      ${
        heals
          ? "When it answers again, what was given up since it began to fail is sent again in order, with X-Webhook-Resend, between newer events."
          : "What it gave up stays undelivered until you send it again."
      }
    </p>
    ${buttonForm({ action: `${at}/healing`, label: heals ? "Do not send again by itself" : "Send again by itself", fields: { healing: heals ? "" : "yes" } })}
  </details>`
}
