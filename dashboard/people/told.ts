import type { Context } from "hono"
import { html } from "hono/html"
import { Told } from "#core/account/told.ts"
import { ApiError } from "#core/error.ts"
import { sentenceCase } from "../answer.ts"
import { did } from "../audit-log.ts"
import { type Html, note } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"

/** Saves who is told, as an owner chose it, and says so. */
export async function chooseTold(c: Context<DashboardEnv>): Promise<Html> {
  const { to, url } = await c.req.parseBody()
  try {
    await Told.choose(c.var.accountId, Told.To.catch("owners").parse(to), url ?? "")
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "invalid_webhook_url") throw error
    return note("bad", sentenceCase(error.message))
  }
  await did(c, "told_changed")
  return note("good", "Saved.")
}

const words = { owners: "The owners", members: "Owners and members", nobody: "Nobody" } as const

export async function toldCard(accountId: string): Promise<Html | string> {
  if (!Told.isOn()) return ""
  const { to, url } = await Told.get(accountId)
  return html`<section class="card">
    <header>
      <h2>Who is told</h2>
      <p>
        When the phone of a number is unlinked, the network bans it, another program takes its place, it is
        without a connection for 15 minutes, or its webhook fails for 15 minutes; and when that is over.
      </p>
    </header>
    <form method="post" action="/account/told">
      <div>
        <label for="told-to">By mail</label>
        <select id="told-to" name="to">
          ${Told.To.options.map((one) => html`<option value="${one}" ${one === to ? "selected" : ""}>${words[one]}</option>`)}
        </select>
      </div>
      <div>
        <label for="told-url">Posted to, as JSON</label>
        <input
          id="told-url"
          name="url"
          type="url"
          maxlength="2048"
          value="${url}"
          placeholder="https://"
          autocomplete="off"
        />
      </div>
      <div class="row"><button class="button">Save</button></div>
    </form>
  </section>`
}
