import { Hono } from "hono"
import { html } from "hono/html"
import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError } from "#core/error.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { headedPage } from "../answer.ts"
import { sentenceForPeople } from "../api-words.ts"
import { did } from "../audit-log.ts"
import { type Html, note, urlField, field } from "../elements.ts"
import { typedIn } from "../form.ts"
import { type DashboardEnv, notAllowed, viewerRefusal } from "../guard.ts"

const shown = {
  title: "Add a number",
  crumbs: html`<a href="/numbers">Numbers</a>`,
  about: "Give it a name of your own; the API calls it customer_ref. You link the phone in the next step.",
  place: "numbers",
} as const

/** Adding a number to the account. */
export const newNumber = new Hono<DashboardEnv>()
  .get("/new-number", async (c) => {
    if (!c.var.me.mayChange) return await notAllowed(c, viewerRefusal)
    return await headedPage(c, { ...shown, body: form({ ref: "", url: "" }) })
  })
  .post("/new-number", async (c) => {
    const typed = await typedIn(c, "customer_ref", "webhook_url")
    const ref = typed.customer_ref
    const url = typed.webhook_url.trim()
    const wanted = { customerRef: ref, webhookUrl: url }
    try {
      const { bridge, created } = await Bridge.create({ accountId: c.var.accountId, ...wanted })
      if (created) await did(c, "number_added", bridge.customerRef)
      if (!created && !(await isUnused(bridge, url)))
        return await headedPage(c, { ...shown, body: form({ ref, url, problem: taken(ref) }), status: 409 })
      return c.redirect(`/numbers/${bridge.customerRef}/connect`, 303)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const first = await c.var.billing?.leadToPayment(c.var.accountId, error, wanted)
      if (first !== undefined) return c.redirect(first, 303)
      const body = form({ ref, url, problem: sentenceForPeople(error.message) })
      return await headedPage(c, { ...shown, body, status: error.status })
    }
  })

/**
 * Whether a number is what was asked for and has never had an event: then the form was sent twice, and a
 * second number would be paid for.
 * @param url the webhook that was asked for, which is valid
 */
async function isUnused({ id, webhookUrl }: Bridge.Info, url: string): Promise<boolean> {
  if ((url && new URL(url).href) !== webhookUrl) return false
  const [newest, delivery] = await Promise.all([
    EventLists.newestNumber(id),
    Delivery.get(Delivery.first(id)),
  ])
  return newest === 0 && (delivery?.head ?? 0) === 0
}

/** A number of that name is there, perhaps with another webhook: it is not taken for the new one. */
function taken(ref: string): Html {
  return html`This account has a number of this name: choose another name, or
    <a href="/numbers/${ref}">open that number</a>.`
}

function form(typed: { ref: string; url: string; problem?: Html | string }): Html {
  return html`<form class="card" method="post" action="/new-number">
    ${typed.problem ? note("bad", typed.problem) : ""}
    ${field(
      "Name",
      {
        id: "ref",
        name: "customer_ref",
        required: true,
        maxlength: 64,
        pattern: "[A-Za-z0-9_\\-]+",
        title: "Letters, digits, dashes and underscores",
        value: typed.ref,
        placeholder: "shop-berlin",
        spellcheck: "false",
      },
      {
        hint: "1 to 64 letters, digits, dashes and underscores. Programs call it by this name for good; what these pages call it can be changed in its settings.",
      },
    )}
    ${urlField(
      html`Webhook address <span class="muted">(optional)</span>`,
      { name: "webhook_url", value: typed.url },
      "Where its events are sent. Leave it empty to read them here; you can change it at any time.",
    )}
    <div class="row">
      <button class="button main">Add it and link a phone</button>
      <a class="button" href="/numbers">Cancel</a>
    </div>
  </form>`
}
