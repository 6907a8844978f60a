import type { Context } from "hono"
import { html } from "hono/html"
import { EventType } from "#contract/event.ts"
import { AccountWebhook } from "#core/bridge/account-webhook.ts"
import { resendAll } from "#core/bridge/resend-all.ts"
import type { ApiError } from "#core/error.ts"
import { headedPage } from "../answer.ts"
import { type Html, note } from "../elements.ts"
import { takeDraft } from "../fresh-sign-in.ts"
import { spanForm, spanIn } from "../from-to.ts"
import { askOwners, type DashboardEnv, viewerRefusal } from "../guard.ts"
import { adding, done, type Shelf, type Shown, webhookForms } from "./forms.ts"
import { webhookCard } from "./webhook-card.ts"

const path = "/webhooks"

const shelf: Shelf = {
  path,
  pathOf: () => path,
  show,
  get: (c, id) => AccountWebhook.get(c.var.accountId, id),
  getFurther: (c, id) => AccountWebhook.get(c.var.accountId, id),
  create: (c, url) => AccountWebhook.create(c.var.accountId, url, {}),
  update: (_, webhook, change) => AccountWebhook.update(webhook, change),
  pause: AccountWebhook.pause,
  resume: AccountWebhook.resume,
  remove: (_, webhook) => AccountWebhook.remove(webhook),
  labelOf: (_, webhook) => AccountWebhook.labelOf(webhook),
  typesOf: async () => EventType.options,
}

/**
 * The webhooks that get the events of all of an account's numbers, and what was given up of all of them, sent
 * again by one act.
 */
export const accountWebhooks = webhookForms(shelf).post(`${path}/resend`, async (c) => {
  return await done(shelf, c, {}, async () => await sendAgain(c.var.accountId, await spanIn(c)))
})

/** How many numbers are named that have more than was requested. */
const mostNamed = 10

async function sendAgain(accountId: string, span: Awaited<ReturnType<typeof spanIn>>): Promise<Html> {
  const { requested, next } = await resendAll(accountId, span)
  const count = requested.reduce((all, one) => all + one.count, 0)
  const numbers = new Set(requested.map(({ customerRef }) => customerRef)).size
  const more = requested.filter(({ isAll }) => !isAll).map(({ customerRef }) => customerRef)
  const rest = [
    more.length === 0 ? "" : ` There is more at ${more.slice(0, mostNamed).join(", ")}: ask again later.`,
    next === undefined ? "" : ` The numbers behind ${next} were not looked at in time: ask again.`,
  ].join("")
  if (count === 0) return note("info", `Nothing is undelivered from that time.${rest}`)
  return note(
    "good",
    `${count} ${count === 1 ? "event" : "events"} of ${numbers} ${numbers === 1 ? "number" : "numbers"} will be sent again.${rest}`,
  )
}

async function show(c: Context<DashboardEnv>, shown: Shown = {}, status?: ApiError["status"]) {
  const { mayChange } = c.var.me
  const all = await AccountWebhook.list(c.var.accountId)
  const url = shown.url ?? takeDraft(c).get("url") ?? ""
  const more = { types: EventType.options, mayChange, firstUrl: "", secret: shown.secret }
  const cards = all.map((webhook) => webhookCard({ path }, webhook, more))
  const about =
    "An account has two at most. Each gets the events of all numbers, also of those that you add later, beside the webhooks of each number."
  const hasRoom = all.length < AccountWebhook.most
  const full = note("info", "An account has two at most: delete one to add another.")
  const resending = html`<section class="card">
    <header>
      <h2>Send again what is undelivered</h2>
      <p>Of all numbers, at each of their webhooks: oldest first, between newer events.</p>
    </header>
    ${spanForm(`${path}/resend`, "Send it again")}
  </section>`
  const body = html`${shown.notice ?? ""} ${await Promise.all(cards)} ${mayChange ? resending : ""}
  ${!mayChange ? note("info", await askOwners(c, viewerRefusal)) : hasRoom ? adding(path, url, about) : full}`
  return await headedPage(c, {
    title: "Webhooks of all numbers",
    about: html`Each event ends with <code>customer_ref</code>, the number that it is of. Whether they get
      through is said at each number: <a href="/numbers?show=failing">those where they do not</a>.`,
    crumbs: html`<a href="/numbers">Numbers</a>`,
    place: "numbers",
    body,
    status,
  })
}
