import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import type { EventType } from "#contract/event.ts"
import { AccountWebhook } from "#core/bridge/account-webhook.ts"
import { Choice } from "#core/bridge/choice.ts"
import { parseWebhookUrl } from "#core/bridge/webhook-url.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { ApiError } from "#core/error.ts"
import { Receiver } from "#core/event/receiver.ts"
import { awakeLease, freshLease } from "#core/lease/call-holder.ts"
import { redirectEvents } from "#functions/api/bridges.ts"
import { sendTest } from "#functions/stream/webhook-test.ts"
import { numberPage } from "../answer.ts"
import { did } from "../audit-log.ts"
import { type Html, note } from "../elements.ts"
import { testWords } from "../events/attempt-words.ts"
import { typedIn } from "../form.ts"
import { freshOnly, takeDraft } from "../fresh-sign-in.ts"
import { askOwners, type DashboardEnv, viewerRefusal } from "../guard.ts"
import { whoIsTold } from "../people/alerts.ts"
import { adding, done, type Shelf, type Shown, webhookForms } from "./forms.ts"
import { webhookCard } from "./webhook-card.ts"

const path = "/numbers/:ref/webhooks"
const pathOf = (c: Context<DashboardEnv>) => `/numbers/${c.var.bridge.customerRef}/webhooks`

const shelf: Shelf = {
  path,
  pathOf,
  show,
  get: (c, id) => Webhook.get(c.var.bridge, id),
  getFurther: async (c, id) => {
    const webhook = await Webhook.get(c.var.bridge, id)
    if (Receiver.isFirst(webhook)) throw new ApiError("not_found")
    return webhook
  },
  create: (c, url) => Webhook.create(c.var.bridge, url, {}),
  update: (c, webhook, change) => Webhook.update(c.var.bridge, webhook, change),
  pause: Webhook.pause,
  resume: Webhook.resume,
  remove: (c, { webhookId }) => Webhook.remove(c.var.bridge, webhookId),
  labelOf: (c, webhook) => Webhook.labelOf(webhook, c.var.bridge),
  typesOf,
}

/**
 * All webhooks of a number, and their secrets: the first, which is the number's own, and the further ones.
 */
export const webhooks = new Hono<DashboardEnv>()
  // A fresh sign-in, as for seeing the secret: this sends the events elsewhere.
  .post(`${path}/first/address`, freshOnly(pathOf, "webhook_url", "test"), async (c) => {
    const typed = await typedIn(c, "webhook_url", "test")
    const given = typed.webhook_url.trim()
    return await done(shelf, c, { webhook_url: given }, () => sendTo(c, given, typed.test !== ""))
  })
  .route("/", webhookForms(shelf))

/**
 * Sends the number's events to this address from now on, and perhaps a test event at once. @throws ApiError
 */
async function sendTo(c: Context<DashboardEnv>, given: string, wantsTest: boolean): Promise<Html> {
  const { bridge, requestId } = c.var
  const url = parseWebhookUrl(given)
  c.set("bridge", await redirectEvents(await awakeLease(bridge.id, requestId), bridge, url, requestId))
  await did(c, "webhook_changed", `${bridge.customerRef}: ${url === "" ? "none" : url}`)
  if (url === "") return note("good", "Saved. Events stay here from now on.")
  const saved = note("good", "Saved. Events go there from now on.")
  if (!wantsTest) return saved
  return html`${saved} ${testWords(await sendTest(await Webhook.get(c.var.bridge, "first")))}`
}

/** The types of events that the number gets: a webhook chooses among them. */
async function typesOf(c: Context<DashboardEnv>): Promise<readonly EventType[]> {
  return Choice.wire((await freshLease(c.var.bridge.id)).choice).events
}

async function show(c: Context<DashboardEnv>, shown: Shown = {}, status?: ApiError["status"]) {
  const { bridge } = c.var
  const ref = bridge.customerRef
  const { mayChange } = c.var.me
  const [all, types, ofAccount] = await Promise.all([
    Webhook.list(bridge),
    typesOf(c),
    AccountWebhook.list(c.var.accountId),
  ])
  const draft = takeDraft(c)
  const url = shown.url ?? draft.get("url") ?? ""
  const firstUrl = shown.webhook_url ?? draft.get("webhook_url") ?? bridge.webhookUrl
  const more = { types, mayChange, firstUrl, secret: shown.secret, told: () => whoIsTold(c) }
  const cards = all.map((webhook) => webhookCard({ ref, path: pathOf(c) }, webhook, more))
  const about =
    "A number has five at most. Each gets the events by itself, signed with a secret of its own: one that fails delays no other."
  const body = html`${shown.notice ?? ""} ${await Promise.all(cards)}
  ${mayChange ? adding(pathOf(c), url, about) : note("info", await askOwners(c, viewerRefusal))}
  ${bridge.isSandbox ? "" : note("info", ofAllNumbers(ofAccount.map(({ receiver }) => receiver.url)))}`
  return await numberPage(c, "webhooks", { title: `Webhooks of ${ref}`, body, status })
}

function ofAllNumbers(urls: string[]): Html {
  const link = html`<a href="/webhooks">Webhooks of all numbers</a>`
  return urls.length === 0
    ? html`One address can get the events of every number: ${link}.`
    : html`These get the events of every number, also of this: <bdi class="mono">${urls.join(", ")}</bdi>.
        ${link}.`
}
