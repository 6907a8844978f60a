import { html } from "hono/html"
import type { Html } from "./elements.ts"

/** One of several bars: what got through (`count`), and above it what did not (`lost`). */
interface Bar {
  title: string
  count: number
  lost?: number
}

/** Units of the drawing. */
const size = { width: 720, height: 110 }
const floor = size.height - 1
const rounded = (units: number) => Math.round(units * 10) / 10

/**
 * A bar chart. `first` and `last` are the labels below its ends. It is hidden from screen readers: the page
 * says the same in words.
 */
export function bars(all: Bar[], first: string, last: string): Html {
  const most = Math.max(1, ...all.map(({ count, lost = 0 }) => count + lost))
  const step = size.width / all.length
  const width = rounded(step * 0.7)
  return html`<svg
      class="bars"
      viewBox="0 0 ${size.width} ${size.height}"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <line x1="0" x2="${size.width}" y1="${floor}" y2="${floor}" />
      ${all.map(({ title, count, lost = 0 }, i) => {
        const [x, height, above] = [
          rounded((i + 0.15) * step),
          rounded((count / most) * floor),
          rounded((lost / most) * floor),
        ]
        return html`<g>
          <title>${title}</title>
          ${height === 0 ? "" : html`<rect x="${x}" y="${floor - height}" width="${width}" height="${height}" rx="1.5" />`}
          ${above === 0 ? "" : html`<rect class="lost" x="${x}" y="${floor - height - above}" width="${width}" height="${above}" rx="1.5" />`}
        </g>`
      })}
    </svg>
    <p class="row spread small muted"><span>${first}</span> <span>${last}</span></p>`
}

/**
 * The messages that came on a day, by hour (UTC): drawn and as a list.
 * @param counted from hour 0 on, as far as there are any
 */
export function barsByHour(counted: number[]): Html {
  const hours = Array.from({ length: 24 }, (_, hour) => counted[hour] ?? 0)
  if (hours.every((count) => count === 0))
    return html`<p class="small muted">No message yet on this day (UTC).</p>`
  return html`<p class="small muted">
      Messages received, by hour (UTC); highest hour: ${Math.max(...hours)}.
    </p>
    ${bars(
      hours.map((count, hour) => ({ title: `${hour}:00: ${count}`, count })),
      "0:00",
      "24:00",
    )}
    <details class="plain small">
      <summary>Show as a list</summary>
      <p>${hours.flatMap((count, hour) => (count === 0 ? [] : [`${hour}:00: ${count}`])).join(", ")}</p>
    </details>`
}
