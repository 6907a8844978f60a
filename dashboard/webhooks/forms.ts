import { type Context, Hono } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { EventType } from "#contract/event.ts"
import { chosen } from "#contract/webhook.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { type ApiError, invalid, issuesOf } from "#core/error.ts"
import type { Delivery } from "#core/event/delivery.ts"
import { Receiver } from "#core/event/receiver.ts"
import { sendTest } from "#functions/stream/webhook-test.ts"
import { did } from "../audit-log.ts"
import { codeBlock, type Html, note, urlField } from "../elements.ts"
import { testWords } from "../events/attempt-words.ts"
import { noticeOf, typedIn } from "../form.ts"
import { freshOnly, unlessFresh } from "../fresh-sign-in.ts"
import type { DashboardEnv } from "../guard.ts"

type C = Context<DashboardEnv>

/** A page of webhooks, and whose they are: a number's, or the account's. */
export interface Shelf {
  /** Its path, as routes name it, and for one request. */
  path: string
  pathOf: (c: C) => string
  /** Shows the page. */
  show: (c: C, shown?: Shown, status?: ApiError["status"]) => Promise<Response>
  /** @throws ApiError `not_found` */
  get: (c: C, id: string) => Promise<Delivery.Info>
  /** As `get`, without one with which less can be done. */
  getFurther: (c: C, id: string) => Promise<Delivery.Info>
  create: (c: C, url: string) => Promise<{ webhook: Delivery.Info; created: boolean }>
  update: (c: C, webhook: Delivery.Info, change: Webhook.Choice & { url?: string }) => Promise<void>
  pause: (webhook: Delivery.Info) => Promise<void>
  resume: (webhook: Delivery.Info) => Promise<void>
  remove: (c: C, webhook: Delivery.Info) => Promise<void>
  /** Its name in the audit log. */
  labelOf: (c: C, webhook: Delivery.Info) => string
  /** The types of events among which a webhook chooses. */
  typesOf: (c: C) => Promise<readonly EventType[]>
}

/** Addresses that were refused: of a further webhook, and of the first. */
interface Typed {
  url?: string
  webhook_url?: string
}

export interface Shown extends Typed {
  notice?: Html
  /** Shown only after a fresh sign-in. */
  secret?: { of: string; text: string }
}

/** The page of a shelf, and the forms for what can be done with a further webhook on it. */
export function webhookForms(shelf: Shelf) {
  const { path, pathOf, show, get, getFurther } = shelf
  const one = `${path}/:id` as const
  return (
    new Hono<DashboardEnv>()
      .get(path, async (c) => await show(c))
      // A fresh sign-in, as for seeing the secret: this sends the events elsewhere.
      .post(path, freshOnly(pathOf, "url"), async (c) => {
        const { url } = await typedIn(c, "url")
        return await done(shelf, c, { url }, async () => {
          const { webhook, created } = await shelf.create(c, Webhook.parseFurtherUrl(url.trim()))
          if (!created) return note("info", "There is a webhook with this address already.")
          await did(c, "webhook_added", shelf.labelOf(c, webhook))
          return note("good", "Added. It gets every event from now on; choose below which it is to get.")
        })
      })
      .post(`${one}/events`, async (c) => {
        const form = await c.req.parseBody({ all: true })
        const chosen = [form.events ?? []].flat()
        const events = EventType.options.filter((type) => chosen.includes(type))
        return await done(shelf, c, {}, async () => {
          const all = await shelf.typesOf(c)
          await shelf.update(c, await getFurther(c, idOf(c)), {
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
      .post(`${one}/pause`, freshOnly(pathOf), async (c) => {
        return await done(shelf, c, {}, async () => {
          await shelf.pause(await getFurther(c, idOf(c)))
          return note(
            "good",
            "It is paused: it keeps its place, and what waits for longer than 7 days is not sent.",
          )
        })
      })
      .post(`${one}/resume`, async (c) => {
        return await done(shelf, c, {}, async () => {
          await shelf.resume(await getFurther(c, idOf(c)))
          return note("good", "It goes on where it stood.")
        })
      })
      .post(`${one}/test`, async (c) => {
        const type = EventType.safeParse((await typedIn(c, "event")).event).data
        return await done(shelf, c, {}, async () => testWords(await sendTest(await get(c, idOf(c)), type)))
      })
      .post(`${one}/remove`, freshOnly(pathOf), async (c) => {
        return await done(shelf, c, {}, async () => {
          const webhook = await getFurther(c, idOf(c))
          await shelf.remove(c, webhook)
          await did(c, "webhook_removed", shelf.labelOf(c, webhook))
          return note("good", "It is deleted. The others lose nothing.")
        })
      })
      .route("/", changeForms(shelf))
      .route("/", formsOfEach(shelf))
  )
}

function changeForms(shelf: Shelf) {
  const { path, pathOf, get, getFurther } = shelf
  return (
    new Hono<DashboardEnv>()
      // A fresh sign-in, as for seeing the secret: this sends the events elsewhere.
      .post(`${path}/:id/change`, freshOnly(pathOf), async (c) => {
        const typed = await typedIn(c, "url", "chats", "headers", "no_headers", "batch")
        return await done(shelf, c, {}, async () => {
          const webhook = await getFurther(c, idOf(c))
          await shelf.update(c, webhook, changeIn(typed))
          await did(c, "webhook_changed", shelf.labelOf(c, await get(c, idOf(c))))
          return note("good", "Saved. It holds from the next attempt on.")
        })
      })
  )
}

/** The forms for what can be done with the first webhook, too. */
function formsOfEach(shelf: Shelf) {
  const { path, pathOf, show, get } = shelf
  const secret = `${path}/:id/secret` as const
  return new Hono<DashboardEnv>()
    .post(`${path}/:id/healing`, async (c) => {
      const heals = (await typedIn(c, "healing")).healing === "yes"
      return await done(shelf, c, {}, async () => {
        await shelf.update(c, await get(c, idOf(c)), { heals })
        return note(
          "good",
          heals ? "Saved. It sends again by itself." : "Saved. It sends nothing again by itself.",
        )
      })
    })
    .get(secret, async (c) => {
      if (!c.var.me.mayChange) return await show(c)
      const again = unlessFresh(c, c.req.path)
      if (again) return again
      const webhook = await get(c, idOf(c))
      await did(c, "secret_shown", shelf.labelOf(c, webhook))
      const [text] = (await Receiver.keysOf(webhook.receiver)).secrets
      return await show(c, { secret: { of: webhook.webhookId, text } })
    })
    .post(`${secret}/roll`, freshOnly(pathOf), async (c) => {
      return await done(shelf, c, {}, async () => {
        const webhook = await get(c, idOf(c))
        const rolled = await WebhookSecret.roll(webhook)
        await did(c, "secret_replaced", shelf.labelOf(c, webhook))
        return html`${note("good", "This is its new secret. Give it to your program within 24 hours.")}
        ${codeBlock(rolled.secret, "The new secret")}`
      })
    })
    .post(`${secret}/finish`, freshOnly(pathOf), async (c) => {
      return await done(shelf, c, {}, async () => {
        await WebhookSecret.endOverlap(await get(c, idOf(c)))
        return note("good", "Only its new secret signs from now on.")
      })
    })
}

/** @throws ApiError `invalid_request`, `invalid_webhook_url` */
function changeIn(typed: Record<"url" | "chats" | "headers" | "no_headers" | "batch", string>) {
  const lines = typed.headers.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line]))
  const headers = lines.map((line) => [line.split(":")[0]?.trim(), line.slice(line.indexOf(":") + 1).trim()])
  const chats = typed.chats.split(/[\s,]+/).filter((chat) => chat !== "")
  const given = {
    chats: chats.length === 0 ? null : chats,
    // Headers are secret, so the form does not show them: left empty, they stay.
    ...(typed.no_headers !== ""
      ? { headers: null }
      : lines.length > 0 && { headers: Object.fromEntries(headers) }),
    batch: typed.batch.trim() === "" ? null : Number(typed.batch),
  }
  const { success, data, error } = Changed.safeParse(given)
  if (!success) throw invalid(issuesOf(error))
  return { ...data, url: Webhook.parseFurtherUrl(typed.url.trim()) }
}

const Changed = z.object({ chats: chosen.chats, headers: chosen.headers, batch: chosen.batch })

function idOf(c: C): string {
  return c.req.param("id") ?? ""
}

/** Calls `act` and shows what it says, or why it failed, with what was typed. */
export async function done({ show }: Shelf, c: C, typed: Typed, act: () => Promise<Html>) {
  const { notice, status } = await noticeOf(act)
  return await show(c, { notice, ...(status && typed) }, status)
}

/** The card with which a webhook is added. */
export function adding(at: string, url: string, about: string): Html {
  return html`<section class="card">
    <header>
      <h2>Add a webhook</h2>
      <p>${about}</p>
    </header>
    <form class="inline" method="post" action="${at}">
      ${urlField("Address", { name: "url", value: url, required: true })}
      <button class="button">Add it</button>
    </form>
  </section>`
}
