import { html } from "hono/html"
import type { Delivery } from "#core/event/delivery.ts"
import { Usage } from "#core/event/usage.ts"
import { bars } from "../bars.ts"
import type { Html } from "../elements.ts"

/** How a webhook did in each of the last 24 hours: how much it took, and how long that took. */
export async function healthByHour(webhook: Delivery.Info): Promise<Html | string> {
  const hours = await Usage.lastHours(webhook, webhook.today)
  const sum = (of: "tried" | "failed" | "ms") => hours.reduce((all, hour) => all + hour[of], 0)
  const all = { tried: sum("tried"), failed: sum("failed"), ms: sum("ms") }
  if (all.tried === 0) return ""
  const drawn = hours.map(({ atMs, ...hour }) => {
    const count = hour.tried - hour.failed
    return { title: `${hourOf(atMs)}: ${wordsOf(hour)}`, count, lost: hour.failed }
  })
  return html`<details class="plain">
    <summary>Last 24 hours: ${wordsOf(all)}</summary>
    ${bars(drawn, hourOf(hours[0]!.atMs), "now")}
    <ul class="small">
      ${hours.flatMap(({ atMs, ...hour }) => (hour.tried === 0 ? [] : html`<li>${hourOf(atMs)}: ${wordsOf(hour)}</li>`))}
    </ul>
  </details>`
}

const hourOf = (ms: number) => `${new Date(ms).toISOString().slice(11, 13)}:00 UTC`

/** "98.5 % of 203 attempts taken, 43 ms each". */
function wordsOf({ tried, failed, ms }: Omit<Usage.Hour, "atMs">): string {
  if (tried === 0) return "no attempt"
  const rate = Math.floor(((tried - failed) / tried) * 1000) / 10
  return `${rate} % of ${tried.toLocaleString("en")} attempts taken, ${Math.round(ms / tried)} ms each`
}
