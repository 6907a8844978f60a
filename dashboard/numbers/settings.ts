import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { Bridge } from "#core/bridge/bridge.ts"
import { Choice } from "#core/bridge/choice.ts"
import { pause, unpause } from "#core/bridge/pause.ts"
import { remove } from "#core/bridge/remove.ts"
import { awake } from "#core/bridge/restart.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { EventType, isUsual } from "#core/contract/event.ts"
import { Pacing } from "#core/contract/pacing.ts"
import { ApiError, invalid } from "#core/error.ts"
import { freshLease } from "#core/lease/call-holder.ts"
import { Lease } from "#core/lease/lease.ts"
import { ask } from "#functions/api/ask-host.ts"
import { redirect } from "#functions/api/bridges.ts"
import { choose } from "#functions/api/choose.ts"
import { page, sentenceCase } from "../answer.ts"
import { block, type Html, note, press, until } from "../elements.ts"
import { takeDraft, textsOf, unlessFresh } from "../fresh-sign-in.ts"
import { type DashboardEnv, onlyLooks } from "../guard.ts"
import { numberHead } from "../layout.ts"
import { did } from "../record.ts"
import { evidenceOf } from "./evidence.ts"

const ignorable = [
  ["groups", "Groups: no event, and nothing is kept"],
  ["status", "Status updates of contacts"],
] as const

/** The settings of a number. */
export const settings = new Hono<DashboardEnv>()
  .get("/numbers/:ref/settings", async (c) => await show(c))
  .get("/numbers/:ref/settings/secret", async (c) => {
    if (c.var.me.role === "viewer") return await show(c)
    const again = unlessFresh(c, c.req.path)
    if (again) return again
    await did(c, "secret_shown", c.var.bridge.customerRef)
    return await show(c, { secret: await Bridge.secretOf(c.var.bridge) })
  })
  .post("/numbers/:ref/settings/secret/roll", async (c) => {
    const again = unlessFresh(c, pathOf(c.var.bridge))
    if (again) return again
    return await done(c, "This is the new secret. Give it to your receiver within 24 hours.", async () => {
      const { secret } = await WebhookSecret.roll(c.var.bridge)
      await did(c, "secret_replaced", c.var.bridge.customerRef)
      await reread(c)
      return { secret }
    })
  })
  .post("/numbers/:ref/settings/secret/finish", async (c) => {
    const again = unlessFresh(c, pathOf(c.var.bridge))
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
    const again = unlessFresh(c, pathOf(bridge), typed)
    if (again) return again
    const given = typed.webhook_url.trim()
    const sentence = html`Saved. Events go there from now on.
      <a href="/numbers/${bridge.customerRef}/deliveries">Send a test event</a> to try it.`
    const saved = given === "" ? "Saved. Events stay in the inbox from now on." : sentence
    const save = async () => {
      const url = Bridge.webhookUrl(given)
      c.set("bridge", await redirect(await awake(bridge.id, requestId), bridge, url, requestId))
      await did(c, "webhook_changed", `${bridge.customerRef}: ${url === "" ? "the inbox" : url}`)
    }
    return await done(c, saved, save, { url: given })
  })
  .post("/numbers/:ref/settings/events", async (c) => {
    const form = await c.req.parseBody({ all: true })
    const chosen = [form.events ?? []].flat()
    const events = EventType.options.filter((type) => chosen.includes(type))
    const ignored = [form.ignore ?? []].flat()
    const ignore = ignorable.map(([value]) => value).filter((value) => ignored.includes(value))
    const { bridge, requestId } = c.var
    // Nothing is delivered any more, and what comes meanwhile is forgotten.
    const again = events.length === 0 ? unlessFresh(c, pathOf(bridge)) : undefined
    if (again) return again
    const saved =
      events.length === 0
        ? "Saved. Nothing is delivered from now on, and what happens meanwhile is not kept."
        : "Saved. It holds from the next event on."
    return await done(c, saved, async () => {
      // All that are usual means also those of later releases.
      const isAll = EventType.options.every((type) => events.includes(type) === isUsual(type))
      await choose(await freshLease(bridge.id), { events: isAll ? null : events, ignore }, requestId)
      await did(c, "events_changed", bridge.customerRef)
    })
  })
  .post("/numbers/:ref/settings/sending", async (c) => {
    const typed = textsOf(await c.req.parseBody(), "new_chats", "gap", "typing", "daily_presence")
    const { bridge, requestId } = c.var
    return await done(
      c,
      "Saved. It holds from the next message on.",
      async () => {
        const daily_presence = typed.daily_presence === "on"
        await choose(await freshLease(bridge.id), { pacing: pacingIn(typed), daily_presence }, requestId)
        await did(c, "sending_changed", bridge.customerRef)
      },
      { pacing: typed },
    )
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
    const again = unlessFresh(c, pathOf(bridge))
    if (again) return again
    const sentence = html`The phone is unlinked.
      <a href="/numbers/${bridge.customerRef}/connect">Link a phone again</a>.`
    return await done(c, sentence, async () => {
      const call = { method: "DELETE", path: "/logout", bridgeId: bridge.id, requestId } as const
      const { refusal } = await ask(call, true)
      if (refusal) throw refusal
      await did(c, "number_unlinked", bridge.customerRef)
    })
  })
  .post("/numbers/:ref/settings/delete", async (c) => {
    const { bridge, requestId } = c.var
    const { confirm } = await c.req.parseBody()
    if (confirm !== bridge.customerRef)
      return await show(c, {
        notice: note("bad", "Nothing was deleted: the name that you typed is another one."),
      })
    const again = unlessFresh(c, pathOf(bridge))
    if (again) return again
    await remove(bridge, requestId)
    await did(c, "number_deleted", bridge.customerRef)
    return c.redirect("/numbers", 303)
  })

const pathOf = ({ customerRef }: Bridge.Info) => `/numbers/${customerRef}/settings`

/** Does it and says so, or says why not, with what was typed. What it gives is shown this once. */
async function done(
  c: Context<DashboardEnv>,
  sentence: string | Html,
  act: () => Promise<{ secret: string } | void>,
  typed?: Shown["typed"],
) {
  try {
    const made = await act()
    return await show(c, { ...made, notice: note("good", sentence) })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return await show(c, { notice: note("bad", sentenceCase(error.message)), typed }, error.status)
  }
}

async function reread(c: Context<DashboardEnv>): Promise<void> {
  c.set("bridge", await Bridge.get(c.var.accountId, c.var.bridge.customerRef))
}

interface Shown {
  /** Shown only after a fresh sign-in. */
  secret?: string
  notice?: Html
  /** What was refused: the address, or the fields of the pacing. */
  typed?: { url?: string; pacing?: Typed } | undefined
}

/** The pacing as people read and type it: seconds, and nothing where there is no limit. */
interface Typed {
  new_chats: string
  gap: string
  typing: string
}

const number = (text: string, each = 1) => (text.trim() === "" ? undefined : Math.round(Number(text) * each))
const text = (value: number | undefined, each = 1) => (value === undefined ? "" : String(value / each))

/** The pacing in a form; null where each field is empty. @throws ApiError `invalid_request` */
function pacingIn({ new_chats, gap, typing }: Typed): Pacing | null {
  const given = {
    new_chats_a_day: number(new_chats),
    gap_ms: number(gap, 1000),
    typing_ms: number(typing, 1000),
  }
  if (Object.values(given).every((value) => value === undefined)) return null
  const { data, error } = Pacing.safeParse(given)
  if (data) return data
  throw invalid([
    {
      path: String(error.issues[0]?.path[0] ?? ""),
      message: "not a number in the range that its field allows",
    },
  ])
}

function typedOf({ new_chats_a_day, gap_ms, typing_ms }: Pacing): Typed {
  return { new_chats: text(new_chats_a_day), gap: text(gap_ms, 1000), typing: text(typing_ms, 1000) }
}

async function show(c: Context<DashboardEnv>, shown: Shown = {}, status?: ApiError["status"]) {
  const { bridge, me } = c.var
  const lease = await freshLease(bridge.id)
  const choice = Choice.wire(lease.choice)
  const url = shown.typed?.url ?? takeDraft(c).get("webhook_url") ?? bridge.webhookUrl
  const content =
    me.role === "viewer"
      ? note("info", onlyLooks)
      : html`${shown.notice ?? ""} ${webhook(bridge, url)} ${secretCard(bridge, shown.secret)}
        ${eventsCard(bridge, choice)}
        ${sendingCard(bridge, { ...choice, ...(await leftToday(bridge, choice)) }, shown.typed?.pacing)}
        ${endings(bridge, runningOf(lease))}`
  const body = html`${numberHead(bridge, "settings")} ${content}`
  const title = `Settings of ${bridge.customerRef}`
  return await page(c, { title, place: "numbers", body, ...(status && { status }) })
}

function webhook(bridge: Bridge.Info, url: string): Html {
  return html`<section class="card">
    <header>
      <h2>Webhook</h2>
      <p>
        Each event is sent to this address, signed and in order. Left empty, events stay in the inbox here.
      </p>
    </header>
    <form method="post" action="${pathOf(bridge)}/webhook">
      <div>
        <label for="url">Address</label>
        <input
          id="url"
          name="webhook_url"
          type="url"
          maxlength="2048"
          value="${url}"
          placeholder="https://example.com/webhook"
          autocomplete="off"
        />
      </div>
      <div class="row"><button class="button main">Save</button></div>
    </form>
  </section>`
}

function secretCard(bridge: Bridge.Info, secret: string | undefined): Html {
  const at = `${pathOf(bridge)}/secret`
  const overlapUntil = WebhookSecret.overlapUntil(bridge)
  return html`<section class="card" id="secret">
    <header>
      <h2>Webhook secret</h2>
      <p>
        Your receiver checks the signature of each event with it:
        <a href="/api/docs#receive">how, in three languages</a>.
      </p>
    </header>
    ${secret === undefined ? "" : block(secret, "The webhook secret")}
    ${
      overlapUntil === undefined
        ? ""
        : note(
            "info",
            html`It was replaced, and the old one signs as well for ${until(overlapUntil * 1000)} more. Once
            your receiver knows the new one, end the old one.
            ${press({ action: `${at}/finish`, label: "End the old one now", kind: "slim" })}`,
          )
    }
    <div class="row">
      ${secret === undefined ? html`<a class="button" href="${at}">Show the secret</a>` : ""}
      ${
        overlapUntil === undefined
          ? html`<details class="plain">
              <summary>Replace it</summary>
              <p class="small">
                For 24 hours each event is signed with both, so nothing is lost while your receiver changes. A
                receiver that compares <code>Authorization</code> has to accept the new secret at once.
              </p>
              ${press({ action: `${at}/roll`, label: "Replace the secret" })}
            </details>`
          : ""
      }
    </div>
  </section>`
}

function choice(name: string, value: string, isChosen: boolean, label: Html | string): Html {
  return html`<label class="choice"
    ><input type="checkbox" name="${name}" value="${value}" ${isChosen ? "checked" : ""} /> ${label}</label
  >`
}

function eventsCard(bridge: Bridge.Info, { events, ignore }: Choices): Html {
  return html`<section class="card">
    <header>
      <h2>Events</h2>
      <p>Which of them you get, and which chats count at all.</p>
    </header>
    <form method="post" action="${pathOf(bridge)}/events">
      <fieldset class="choices">
        <legend class="label">Types</legend>
        ${EventType.options.map((type) => choice("events", type, events.includes(type), html`<code>${type}</code>`))}
      </fieldset>
      <fieldset class="stack">
        <legend class="label">Ignore</legend>
        ${ignorable.map(([value, label]) => choice("ignore", value, ignore.includes(value), label))}
      </fieldset>
      <div class="row"><button class="button">Save</button></div>
    </form>
  </section>`
}

/** How many chats it may still begin today; unknown where nothing limits it, or its session does not say. */
async function leftToday(bridge: Bridge.Info, { pacing }: Choices): Promise<{ left?: number | undefined }> {
  if (pacing?.new_chats_a_day === undefined) return {}
  const evidence = await evidenceOf(bridge)
  return evidence.kind === "said" ? { left: evidence.new_chats_left } : {}
}

type Choices = ReturnType<typeof Choice.wire>

function sendingCard(
  bridge: Bridge.Info,
  { pacing, daily_presence, left }: Choices & { left?: number | undefined },
  typed = typedOf(pacing ?? {}),
): Html {
  const field = (input: { name: keyof Typed; label: string; max: number; step: string; hint: string }) =>
    html`<div>
      <label for="${input.name}">${input.label}</label>
      <input
        id="${input.name}"
        name="${input.name}"
        type="number"
        min="0"
        max="${input.max}"
        step="${input.step}"
        value="${typed[input.name]}"
        placeholder="no limit"
        autocomplete="off"
        aria-describedby="${input.name}-hint"
      />
      <p class="hint" id="${input.name}-hint">${input.hint}</p>
    </div>`
  const leftNow = left === undefined ? "" : ` ${left} are left today.`
  return html`<section class="card" id="sending">
    <header>
      <h2>Sending</h2>
      <p>
        Accounts that write to many strangers, or too fast, are restricted or banned. A message beyond these
        limits is refused with <code>pacing</code>, and was not sent.
      </p>
    </header>
    <form method="post" action="${pathOf(bridge)}/sending">
      ${field({
        name: "new_chats",
        label: "New chats a day",
        max: 10_000,
        step: "1",
        hint: `With people who have not written to this number. 20 is a careful beginning.${leftNow}`,
      })}
      ${field({
        name: "gap",
        label: "Seconds between two messages",
        max: 60,
        step: "0.1",
        hint: "Up to half as much is added at random. 3 is a careful beginning.",
      })}
      ${field({
        name: "typing",
        label: "Seconds of typing before a message",
        max: 3,
        step: "0.1",
        hint: "For so long people see that you are typing. 1.5 is a careful beginning.",
      })}
      <fieldset class="stack">
        <legend class="label">Presence</legend>
        <label class="choice"
          ><input type="checkbox" name="daily_presence" ${daily_presence ? "checked" : ""} /> Appear as
          available for five minutes a day, so that the phone does not take this device for inactive</label
        >
      </fieldset>
      <div class="row"><button class="button">Save</button></div>
    </form>
  </section>`
}

/** Whether it runs, or who has stopped it: somebody of the account, or another. */
type Running = "yes" | "paused" | "stopped"

function runningOf(lease: Lease.Info): Running {
  const why = Lease.whyStopped(lease)
  if (why === undefined || why === "idle") return "yes"
  return why === "customer" ? "paused" : "stopped"
}

function pausing(at: string, running: Running): Html | string {
  switch (running) {
    case "yes":
      return html`<details class="plain">
        <summary>Pause this number</summary>
        <p class="small">
          Its session ends until you wake it, and calls are refused. It costs as much as before. The phone
          stays linked at first, but unlinks a device that does not sign in for some weeks.
        </p>
        ${press({ action: `${at}/pause`, label: "Pause it now" })}
      </details>`
    case "paused":
      return html`${note("warn", "Somebody of this account has paused it: it receives and sends nothing.")}
        <div class="row">${press({ action: `${at}/wake`, label: "Wake it", kind: "main" })}</div>`
    case "stopped":
      return ""
  }
}

function endings(bridge: Bridge.Info, running: Running): Html {
  const at = pathOf(bridge)
  return html`<section class="card">
    <header>
      <h2>Pause, unlink or delete</h2>
      <p>
        Unlinking signs the session out on the phone; the number stays here. Deleting removes all that is kept
        of it.
      </p>
    </header>
    ${pausing(at, running)}
    <details class="plain">
      <summary>Unlink the phone</summary>
      <p class="small">No message is received until a phone is linked again.</p>
      ${press({ action: `${at}/unlink`, label: "Unlink it now", kind: "danger" })}
    </details>
    <details class="plain">
      <summary>Delete this number</summary>
      <form class="inline" method="post" action="${at}/delete">
        <div>
          <label for="confirm">Type <code>${bridge.customerRef}</code> to confirm</label>
          <input id="confirm" name="confirm" required autocomplete="off" spellcheck="false" />
        </div>
        <button class="button danger">Delete it for ever</button>
      </form>
    </details>
  </section>`
}
