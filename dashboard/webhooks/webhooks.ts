import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { EventType } from "#contract/event.ts"
import { Choice } from "#core/bridge/choice.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { parseWebhookUrl } from "#core/bridge/webhook-url.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { ApiError } from "#core/error.ts"
import type { Delivery } from "#core/event/delivery.ts"
import { Receiver } from "#core/event/receiver.ts"
import { awakeLease, freshLease } from "#core/lease/call-holder.ts"
import { redirectEvents } from "#functions/api/bridges.ts"
import { sendTest } from "#functions/stream/webhook-test.ts"
import { numberPage } from "../answer.ts"
import { did } from "../audit-log.ts"
import { codeBlock, type Html, note, urlField } from "../elements.ts"
import { testWords } from "../events/attempt-words.ts"
import { noticeOf, typedIn } from "../form.ts"
import { freshOnly, takeDraft, unlessFresh } from "../fresh-sign-in.ts"
import { askOwners, type DashboardEnv, viewerRefusal } from "../guard.ts"
import { whoIsTold } from "../people/alerts.ts"
import { webhookCard } from "./webhook-card.ts"

/**
 * All webhooks of a number, and their secrets: the first, which is the number's own, and the further ones.
 */
export const webhooks = new Hono<DashboardEnv>()
  .get("/numbers/:ref/webhooks", async (c) => await show(c))
  // A fresh sign-in, as for seeing the secret: these two send the events elsewhere.
  .post("/numbers/:ref/webhooks/first/address", freshOnly(pathOf, "webhook_url", "test"), async (c) => {
    const typed = await typedIn(c, "webhook_url", "test")
    const given = typed.webhook_url.trim()
    return await done(c, { webhook_url: given }, async () => await sendTo(c, given, typed.test !== ""))
  })
  .post("/numbers/:ref/webhooks", freshOnly(pathOf, "url"), async (c) => {
    const { url } = await typedIn(c, "url")
    return await done(c, { url }, async () => {
      const { webhook, created } = await Webhook.create(c.var.bridge, Webhook.parseFurtherUrl(url.trim()), {})
      if (!created) return note("info", "There is a webhook with this address already.")
      await did(c, "webhook_added", Webhook.labelOf(webhook, c.var.bridge))
      return note("good", "Added. It gets every event from now on; choose below which it is to get.")
    })
  })
  .post("/numbers/:ref/webhooks/:id/events", async (c) => {
    const form = await c.req.parseBody({ all: true })
    const chosen = [form.events ?? []].flat()
    const events = EventType.options.filter((type) => chosen.includes(type))
    return await done(c, {}, async () => {
      const all = await typesOf(c)
      await Webhook.update(c.var.bridge, await oneOf(c), {
        events: all.every((type) => events.includes(type)) ? null : events,
      })
      return note(
        events.length === 0 ? "warn" : "good",
        events.length === 0
          ? "Saved. It gets nothing from now on."
          : "Saved. It holds from the next event on.",
      )
    })
  })
  .post("/numbers/:ref/webhooks/:id/pause", freshOnly(pathOf), async (c) => {
    return await done(c, {}, async () => {
      await Webhook.pause(await oneOf(c))
      return note(
        "good",
        "It is paused: it keeps its place, and what waits for longer than 7 days is not sent.",
      )
    })
  })
  .post("/numbers/:ref/webhooks/:id/resume", async (c) => {
    return await done(c, {}, async () => {
      await Webhook.resume(await oneOf(c))
      return note("good", "It goes on where it stood.")
    })
  })
  .post("/numbers/:ref/webhooks/:id/test", async (c) => {
    return await done(c, {}, async () => {
      return testWords(await sendTest(await Webhook.get(c.var.bridge, idOf(c))))
    })
  })
  .get("/numbers/:ref/webhooks/:id/secret", async (c) => {
    if (!c.var.me.mayChange) return await show(c)
    const again = unlessFresh(c, c.req.path)
    if (again) return again
    const webhook = await Webhook.get(c.var.bridge, idOf(c))
    await did(c, "secret_shown", Webhook.labelOf(webhook, c.var.bridge))
    const [secret] = (await Receiver.keysOf(webhook.receiver)).secrets
    return await show(c, { secret: { of: webhook.webhookId, text: secret } })
  })
  .post("/numbers/:ref/webhooks/:id/secret/roll", freshOnly(pathOf), async (c) => {
    return await done(c, {}, async () => {
      const webhook = await Webhook.get(c.var.bridge, idOf(c))
      const { secret } = await WebhookSecret.roll(webhook)
      await did(c, "secret_replaced", Webhook.labelOf(webhook, c.var.bridge))
      return html`${note("good", "This is its new secret. Give it to your program within 24 hours.")}
      ${codeBlock(secret, "The new secret")}`
    })
  })
  .post("/numbers/:ref/webhooks/:id/secret/finish", freshOnly(pathOf), async (c) => {
    return await done(c, {}, async () => {
      await WebhookSecret.endOverlap(await Webhook.get(c.var.bridge, idOf(c)))
      return note("good", "Only its new secret signs from now on.")
    })
  })
  .post("/numbers/:ref/webhooks/:id/remove", freshOnly(pathOf), async (c) => {
    return await done(c, {}, async () => {
      const webhook = await oneOf(c)
      await Webhook.remove(c.var.bridge, webhook.webhookId)
      await did(c, "webhook_removed", Webhook.labelOf(webhook, c.var.bridge))
      return note("good", "It is deleted. The others lose nothing.")
    })
  })

function pathOf(c: Context<DashboardEnv>): string {
  return `/numbers/${c.var.bridge.customerRef}/webhooks`
}

function idOf(c: Context<DashboardEnv>): string {
  return c.req.param("id") ?? ""
}

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

/**
 * The further webhook that a form is about; not the first, with which less can be done.
 * @throws ApiError `not_found`
 */
async function oneOf(c: Context<DashboardEnv>): Promise<Delivery.Info> {
  const webhook = await Webhook.get(c.var.bridge, idOf(c))
  if (Receiver.isFirst(webhook)) throw new ApiError("not_found")
  return webhook
}

/** The types of events that the number gets: a webhook chooses among them. */
async function typesOf(c: Context<DashboardEnv>): Promise<readonly EventType[]> {
  return Choice.wire((await freshLease(c.var.bridge.id)).choice).events
}

/** Calls `act` and shows what it says, or why it failed, with what was typed. */
async function done(c: Context<DashboardEnv>, typed: Typed, act: () => Promise<Html>) {
  const { notice, status } = await noticeOf(act)
  return await show(c, { notice, ...(status && typed) }, status)
}

/** Addresses that were refused: of a further webhook, and of the first. */
interface Typed {
  url?: string
  webhook_url?: string
}

interface Shown extends Typed {
  notice?: Html
  /** Shown only after a fresh sign-in. */
  secret?: { of: string; text: string }
}

async function show(c: Context<DashboardEnv>, shown: Shown = {}, status?: ApiError["status"]) {
  const { bridge } = c.var
  const ref = bridge.customerRef
  const { mayChange } = c.var.me
  const [all, types] = await Promise.all([Webhook.list(bridge), typesOf(c)])
  const draft = takeDraft(c)
  const url = shown.url ?? draft.get("url") ?? ""
  const firstUrl = shown.webhook_url ?? draft.get("webhook_url") ?? bridge.webhookUrl
  const more = { types, mayChange, firstUrl, secret: shown.secret, told: () => whoIsTold(c) }
  const cards = all.map(async (webhook) => await webhookCard(ref, webhook, more))
  const body = html`${shown.notice ?? ""} ${await Promise.all(cards)}
  ${mayChange ? adding(pathOf(c), url) : note("info", await askOwners(c, viewerRefusal))}`
  return await numberPage(c, "webhooks", { title: `Webhooks of ${ref}`, body, status })
}

function adding(at: string, url: string): Html {
  return html`<section class="card">
    <header>
      <h2>Add a webhook</h2>
      <p>
        A number has five at most. Each gets the events by itself, signed with a secret of its own: one that
        fails delays no other.
      </p>
    </header>
    <form class="inline" method="post" action="${at}">
      ${urlField("Address", { name: "url", value: url, required: true })}
      <button class="button">Add it</button>
    </form>
  </section>`
}
