import { Hono } from "hono"
import { html } from "hono/html"
import { Mail } from "#core/account/mail.ts"
import { ApiError } from "#core/error.ts"
import { headedPage } from "../answer.ts"
import { empty, type Html } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"
import { ago } from "../times.ts"

const about = "This service sends no mail. What it would have sent is listed here until it is stopped."

/** The mails that were kept instead of sent. */
export const mail = new Hono<DashboardEnv>().get("/dev/mail", async (c) => {
  if (Mail.way() !== "kept") throw new ApiError("not_found")
  const all = Mail.latest()
  const body = all.length === 0 ? empty({ isCard: true, title: "No mail yet", about }) : list(all)
  return await headedPage(c, { title: "Mail", about, place: "mail", body })
})

function list(all: ReturnType<typeof Mail.latest>): Html {
  return html`<ul class="feed card flush">
    ${all.map(
      (one) =>
        html`<li>
          <details open>
            <summary>
              <b>${one.subject}</b> <span class="about muted">to ${one.to}</span> ${ago(one.atMs)}
            </summary>
            <div class="more"><pre tabindex="0" aria-label="The mail">${linked(one.text)}</pre></div>
          </details>
        </li>`,
    )}
  </ul>`
}

/** A text whose URLs are links. */
function linked(text: string): (Html | string)[] {
  return text
    .split(/(https?:\/\/[^\s,]*[^\s,.;:!?)])/)
    .map((part, i) => (i % 2 === 1 ? html`<a href="${part}">${part}</a>` : part))
}
