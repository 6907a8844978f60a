import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { Bridge } from "#core/bridge/bridge.ts"
import { Choice } from "#core/bridge/choice.ts"
import { pause, unpause } from "#core/bridge/pause.ts"
import { remove } from "#core/bridge/remove.ts"
import { awake } from "#core/bridge/restart.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { EventType } from "#core/contract/event.ts"
import { ApiError } from "#core/error.ts"
import { freshLease } from "#core/lease/call-holder.ts"
import { Lease } from "#core/lease/lease.ts"
import { nowMs } from "#core/platform/clock.ts"
import { ask } from "#functions/api/ask-host.ts"
import { redirect } from "#functions/api/bridges.ts"
import { choose } from "#functions/api/choose.ts"
import { page, sentenceCase } from "../answer.ts"
import { type Html, note } from "../elements.ts"
import { takeDraft, textsOf, unlessFresh } from "../fresh-sign-in.ts"
import type { DashboardEnv } from "../guard.ts"
import { settingsPage } from "../pages/settings.ts"

const ignorable = ["groups", "status"] as const

/** The settings of a number. */
export const settings = new Hono<DashboardEnv>()
  .get("/numbers/:ref/settings", async (c) => await show(c))
  .get("/numbers/:ref/settings/secret", async (c) => {
    if (c.var.me.role === "viewer") return await show(c)
    const again = unlessFresh(c, c.req.path)
    return again ?? (await show(c, { secret: await Bridge.secretOf(c.var.bridge) }))
  })
  .post("/numbers/:ref/settings/secret/roll", async (c) => {
    const again = unlessFresh(c, `/numbers/${c.var.bridge.customerRef}/settings`)
    if (again) return again
    return await done(c, "This is the new secret. Give it to your receiver within 24 hours.", async () => {
      const { secret } = await WebhookSecret.roll(c.var.bridge)
      await reread(c)
      return { secret }
    })
  })
  .post("/numbers/:ref/settings/secret/finish", async (c) => {
    const again = unlessFresh(c, `/numbers/${c.var.bridge.customerRef}/settings`)
    if (again) return again
    return await done(c, "Only the new secret signs from now on.", async () => {
      await WebhookSecret.finish(c.var.bridge)
      await reread(c)
    })
  })
  .post("/numbers/:ref/settings/webhook", async (c) => {
    const typed = textsOf(await c.req.parseBody(), "webhook_url")
    const { bridge, requestId } = c.var
    // The secret protects the events, and this sends them elsewhere.
    const again = unlessFresh(c, `/numbers/${bridge.customerRef}/settings`, typed)
    if (again) return again
    const given = typed.webhook_url.trim()
    const sentence = html`Saved. Events go there from now on.
      <a href="/numbers/${bridge.customerRef}/deliveries">Send a test event</a> to try it.`
    const told = given === "" ? "Saved. Events stay in the inbox from now on." : sentence
    const save = async () => {
      const url = Bridge.webhookUrl(given)
      c.set("bridge", await redirect(await awake(bridge.id, requestId), bridge, url, requestId))
    }
    return await done(c, told, save, given)
  })
  .post("/numbers/:ref/settings/events", async (c) => {
    const form = await c.req.parseBody({ all: true })
    const chosen = [form.events ?? []].flat()
    const events = EventType.options.filter((type) => chosen.includes(type))
    const ignore = ignorable.filter((one) => [form.ignore ?? []].flat().includes(one))
    const { bridge, requestId } = c.var
    return await done(c, "Saved. It holds from the next event on.", async () => {
      // All of them means also those of later releases.
      const isAll = events.length === EventType.options.length
      await choose(await freshLease(bridge.id), { events: isAll ? null : events, ignore }, requestId)
    })
  })
  .post("/numbers/:ref/settings/pause", async (c) => {
    const { bridge, requestId } = c.var
    return await done(c, "It is paused.", async () => await pause(bridge.id, requestId))
  })
  .post("/numbers/:ref/settings/wake", async (c) => {
    return await done(c, "It starts again, in a few seconds.", async () => await unpause(c.var.bridge))
  })
  .post("/numbers/:ref/settings/unlink", async (c) => {
    const { bridge, requestId } = c.var
    const again = unlessFresh(c, `/numbers/${bridge.customerRef}/settings`)
    if (again) return again
    const sentence = html`The phone is unlinked.
      <a href="/numbers/${bridge.customerRef}/connect">Link a phone again</a>.`
    return await done(c, sentence, async () => {
      const call = { method: "DELETE", path: "/logout", bridgeId: bridge.id, requestId } as const
      const { refusal } = await ask(call, true)
      if (refusal) throw refusal
    })
  })
  .post("/numbers/:ref/settings/delete", async (c) => {
    const { bridge, requestId } = c.var
    const { confirm } = await c.req.parseBody()
    if (confirm !== bridge.customerRef)
      return await show(c, {
        told: note("bad", "Nothing was deleted: the name that you typed is another one."),
      })
    const again = unlessFresh(c, `/numbers/${bridge.customerRef}/settings`)
    if (again) return again
    await remove(bridge, requestId)
    return c.redirect("/numbers", 303)
  })

/** Does it and says so, or says why not, with the address that was typed. What it gives is shown this once. */
async function done(
  c: Context<DashboardEnv>,
  sentence: string | Html,
  act: () => Promise<{ secret: string } | void>,
  typedUrl?: string,
) {
  try {
    const made = await act()
    return await show(c, { ...made, told: note("good", sentence) })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return await show(c, { told: note("bad", sentenceCase(error.message)), typedUrl }, error.status)
  }
}

async function reread(c: Context<DashboardEnv>): Promise<void> {
  c.set("bridge", await Bridge.get(c.var.accountId, c.var.bridge.customerRef))
}

function runningOf(lease: Lease.Info): "yes" | "paused" | "stopped" {
  const why = Lease.whyStopped(lease)
  if (why === undefined || why === "idle") return "yes"
  return why === "customer" ? "paused" : "stopped"
}

async function show(
  c: Context<DashboardEnv>,
  { typedUrl, ...more }: { secret?: string; told?: Html; typedUrl?: string | undefined } = {},
  status?: ApiError["status"],
) {
  const { bridge, me } = c.var
  const lease = await freshLease(bridge.id)
  const { events, ignore } = Choice.wire(lease.choice)
  const url = typedUrl ?? takeDraft(c).get("webhook_url") ?? bridge.webhookUrl
  const about = { ref: bridge.customerRef, isSandbox: bridge.isSandbox, url }
  const overlapUntil = WebhookSecret.overlapUntil(bridge)
  const body = settingsPage({
    ...about,
    ...more,
    ...(overlapUntil !== undefined && { overlapMs: overlapUntil * 1000 }),
    events,
    types: EventType.options,
    ignore,
    mayChange: me.role !== "viewer",
    running: runningOf(lease),
    nowMs: nowMs(),
  })
  return await page(c, {
    title: `Settings of ${about.ref}`,
    place: "numbers",
    body,
    ...(status && { status }),
  })
}
