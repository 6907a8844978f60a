import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { EventType, isUsual } from "#contract/event.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Choice } from "#core/bridge/choice.ts"
import { pause, unpause } from "#core/bridge/customer-pause.ts"
import { MediaStore } from "#core/bridge/media-store.ts"
import { remove } from "#core/bridge/remove.ts"
import type { ApiError } from "#core/error.ts"
import { freshLease } from "#core/lease/call-holder.ts"
import { Lease } from "#core/lease/lease.ts"
import { writeChoice } from "#functions/api/write-choice.ts"
import { numberPage } from "../answer.ts"
import { did } from "../audit-log.ts"
import { checkbox, confirming, facts, type Html, note, buttonForm, field, confirmField } from "../elements.ts"
import { eventMeanings } from "../events/event-item.ts"
import { nameIn, noticeOf, typedIn } from "../form.ts"
import { freshOnly, takeDraft, unlessFresh } from "../fresh-sign-in.ts"
import { askOwners, type DashboardEnv, viewerRefusal } from "../guard.ts"
import { keepingCard, keepingIn } from "./keeping.ts"
import { storeCard, storeFields, storeIn, tryStore } from "./own-store.ts"
import { pacingIn, recommended, sendingCard, type TypedPacing } from "./pacing.ts"
import { unlinkPhone } from "./session-answer.ts"

const ignorable = [
  ["groups", "Groups: no event, and nothing is kept"],
  ["status", "Status updates of contacts"],
] as const

const pathOf = ({ customerRef }: Bridge.Info) => `/numbers/${customerRef}/settings`
const pageOf = (c: Context<DashboardEnv>) => pathOf(c.var.bridge)
const fresh = freshOnly(pageOf)

/** The settings of a number. */
export const settings = new Hono<DashboardEnv>()
  .get("/numbers/:ref/settings", async (c) => await show(c))
  .post("/numbers/:ref/settings/name", async (c) => {
    const { name } = await typedIn(c, "name")
    return await done(c, "Saved.", async () => {
      const bridge = await Bridge.setShownName(c.var.bridge, nameIn(name))
      c.set("bridge", bridge)
      await did(c, "number_named", bridge.customerRef)
    })
  })
  .post("/numbers/:ref/settings/events", async (c) => {
    const form = await c.req.parseBody({ all: true })
    const chosen = [form.events ?? []].flat()
    const events = EventType.options.filter((type) => chosen.includes(type))
    const ignored = [form.ignore ?? []]
      .flat()
      .flatMap((all) => (typeof all === "string" ? all.split(" ") : []))
    const ignore = ignorable.map(([value]) => value).filter((value) => ignored.includes(value))
    const { bridge, requestId } = c.var
    if (events.length === 0) {
      const again = unlessFresh(c, pathOf(bridge))
      if (again) return again
      if (form.none === undefined) return await show(c, { notice: lastTypeGoes(bridge, ignore) })
    }
    const saved =
      events.length === 0
        ? "Saved. Nothing is delivered from now on, and what happens meanwhile is not kept."
        : "Saved. It holds from the next event on."
    return await done(c, saved, async () => {
      // Whoever chooses all usual types gets those of later releases, too.
      const isAll = EventType.options.every((type) => events.includes(type) === isUsual(type))
      await writeChoice(await freshLease(bridge.id), { events: isAll ? null : events, ignore }, requestId)
      await did(c, "events_changed", bridge.customerRef)
    })
  })
  .post("/numbers/:ref/settings/sending", async (c) => {
    const typed = await typedIn(c, "new_chats", "gap", "typing", "daily_presence", "link_previews", "take")
    const { bridge, requestId } = c.var
    return await done(
      c,
      "Saved. It holds from the next message on.",
      async () => {
        const daily_presence = typed.daily_presence === "on"
        const link_previews = typed.link_previews === "on"
        const pacing = pacingIn(typed.take === "" ? typed : recommended)
        await writeChoice(await freshLease(bridge.id), { pacing, daily_presence, link_previews }, requestId)
        await did(c, "sending_changed", bridge.customerRef)
      },
      { typed },
    )
  })
  .post("/numbers/:ref/settings/keeping", async (c) => {
    const typed = await typedIn(c, "keep", "history")
    const { bridge, requestId } = c.var
    return await done(c, "Saved. It holds from the next message on.", async () => {
      await writeChoice(await freshLease(bridge.id), keepingIn(typed), requestId)
      await did(c, "keeping_changed", bridge.customerRef)
    })
  })
  // A fresh sign-in, as for a webhook's address: this sends the files elsewhere.
  .post("/numbers/:ref/settings/store", freshOnly(pageOf, ...storeFields), async (c) => {
    const typed = await typedIn(c, ...storeFields, "secret_access_key")
    const { bridge, requestId } = c.var
    const save = async () => {
      const mediaStore = MediaStore.sealed(storeIn(typed), bridge.id, await Bridge.deliveryKeyOf(bridge))
      await writeChoice(await freshLease(bridge.id), { mediaStore }, requestId)
      await did(c, "store_changed", bridge.customerRef)
    }
    return await done(c, "Saved. It holds from the next file on.", save, { store: typed })
  })
  .post("/numbers/:ref/settings/store/try", async (c) => {
    const { bridge } = c.var
    const { notice, status } = await noticeOf(async () => {
      const key = await tryStore(bridge, (await freshLease(bridge.id)).choice)
      return note("good", html`The bucket took a small file: <code>${key}</code>.`)
    })
    return await show(c, { notice }, status)
  })
  .post("/numbers/:ref/settings/store/remove", async (c) => {
    const { bridge, requestId } = c.var
    return await done(c, "Saved.", async () => {
      await writeChoice(await freshLease(bridge.id), { mediaStore: null }, requestId)
      await did(c, "store_changed", bridge.customerRef)
    })
  })
  .post("/numbers/:ref/settings/pause", fresh, async (c) => {
    const { bridge, requestId } = c.var
    return await done(c, "It is paused.", async () => {
      await pause(bridge.id, requestId)
      await did(c, "number_paused", bridge.customerRef)
    })
  })
  .post("/numbers/:ref/settings/wake", async (c) => {
    return await done(c, "It starts again, in a few seconds.", async () => {
      await unpause(c.var.bridge)
      await did(c, "number_woken", c.var.bridge.customerRef)
    })
  })
  .post("/numbers/:ref/settings/unlink", fresh, async (c) => {
    const { bridge, requestId } = c.var
    const sentence = html`The phone is unlinked.
      <a href="/numbers/${bridge.customerRef}/connect">Link a phone again</a>.`
    return await done(c, sentence, async () => {
      await unlinkPhone(bridge, requestId)
      await did(c, "number_unlinked", bridge.customerRef)
    })
  })
  .post("/numbers/:ref/settings/delete", async (c) => {
    const { bridge, requestId } = c.var
    const typed = await typedIn(c, "confirm")
    if (typed.confirm !== bridge.customerRef)
      return await show(c, {
        notice: note("bad", "Nothing was deleted: the name that you typed is another one."),
      })
    const again = unlessFresh(c, pathOf(bridge), typed)
    if (again) return again
    await remove(bridge, requestId)
    await did(c, "number_deleted", bridge.customerRef)
    return c.redirect("/numbers", 303)
  })

/** Calls `act` and says that it is done, or why it is not, with what was typed. */
async function done(
  c: Context<DashboardEnv>,
  sentence: string | Html,
  act: () => Promise<void>,
  refused: Omit<Shown, "notice"> = {},
) {
  const { notice, status } = await noticeOf(async () => {
    await act()
    return note("good", sentence)
  })
  return await show(c, { notice, ...(status && refused) }, status)
}

interface Shown {
  notice?: Html
  /** A pacing that was refused. */
  typed?: TypedPacing
  /** A store of files that was refused. */
  store?: Parameters<typeof storeCard>[2]
}

async function show(c: Context<DashboardEnv>, shown: Shown = {}, status?: ApiError["status"]) {
  const { bridge, me } = c.var
  const lease = await freshLease(bridge.id)
  const choice = Choice.wire(lease.choice)
  const draft = takeDraft(c)
  const body = !me.mayChange
    ? html`${note("info", await askOwners(c, viewerRefusal))} ${forViewers(choice)}`
    : html`${shown.notice ?? ""} ${nameCard(bridge)} ${eventsCard(bridge, choice)}
      ${await sendingCard(bridge, choice, shown.typed)} ${keepingCard(bridge, choice)}
      ${storeCard(bridge, choice, shown.store ?? Object.fromEntries(draft))}
      ${endings(bridge, runningOf(lease), draft.get("confirm") ?? "")}`
  return await numberPage(c, "settings", { title: `Settings of ${bridge.customerRef}`, body, status })
}

/** The settings that are no secret. */
function forViewers({ events, ignore }: ReturnType<typeof Choice.wire>): Html {
  return html`<section class="card">
    <h2>Events</h2>
    ${facts([
      [
        "Types",
        events.length === 0 ? "none" : html`${events.map((type) => html`<span class="tag">${type}</span> `)}`,
      ],
      ["Ignored", ignore.length === 0 ? "nothing" : ignore.join(", ")],
    ])}
  </section>`
}

function nameCard(bridge: Bridge.Info): Html {
  return html`<section class="card">
    <form class="inline" method="post" action="${pathOf(bridge)}/name">
      ${field("Name on these pages", {
        name: "name",
        maxlength: 128,
        value: bridge.shownName,
        placeholder: bridge.customerRef,
        "aria-describedby": "name-is",
      })}
      <button class="button">Save</button>
    </form>
    <p class="small muted" id="name-is">Programs go on calling it <code>${bridge.customerRef}</code>.</p>
  </section>`
}

function eventsCard(bridge: Bridge.Info, { events, ignore }: ReturnType<typeof Choice.wire>): Html {
  return html`<section class="card">
    <header>
      <h2>Events</h2>
      <p>
        Which of them you get, and which chats count at all. Where they are sent is chosen under
        <a href="/numbers/${bridge.customerRef}/webhooks">Webhooks</a>.
      </p>
    </header>
    <form method="post" action="${pathOf(bridge)}/events">
      <fieldset class="choices">
        <legend class="label">Types</legend>
        ${EventType.options.map((type) => checkbox("events", type, events.includes(type), html`<span><code>${type}</code> <span class="small muted">${eventMeanings[type]}</span></span>`))}
      </fieldset>
      <fieldset class="stack">
        <legend class="label">Ignore</legend>
        ${ignorable.map(([value, label]) => checkbox("ignore", value, ignore.includes(value), label))}
      </fieldset>
      <div class="row"><button class="button">Save</button></div>
    </form>
  </section>`
}

/** Asked before no type is left: nothing is delivered any more, and what comes meanwhile is forgotten. */
function lastTypeGoes(bridge: Bridge.Info, ignore: string[]): Html {
  return note(
    "warn",
    html`<b>Not saved yet: no type is chosen.</b> Nothing would be delivered any more, and what happens
      meanwhile would be kept nowhere. To stop for a while without loss, leave the types as they are: events
      wait while your program is away.
      ${buttonForm({ action: `${pathOf(bridge)}/events`, label: "Switch all events off", kind: "danger slim", fields: { none: "yes", ignore: ignore.join(" ") } })}`,
  )
}

/** Whether the number runs, or who has stopped it: `paused`: a member of the account; `stopped`: another. */
type Running = "yes" | "paused" | "stopped"

function runningOf(lease: Lease.Info): Running {
  const why = Lease.whyStopped(lease)
  if (why === undefined || why === "idle") return "yes"
  return why === "customer" ? "paused" : "stopped"
}

function pausing(at: string, running: Running): Html | string {
  switch (running) {
    case "yes":
      return confirming({
        label: "Pause this number",
        about:
          "It signs out of the network until you wake it, and calls are refused. It costs as much as before. The phone stays linked at first, but unlinks a device that does not sign in for some weeks.",
        act: buttonForm({ action: `${at}/pause`, label: "Pause this number now" }),
        kind: "",
      })
    case "paused":
      return html`${note("warn", "Somebody of this account has paused this number: it receives and sends nothing.")}
      ${buttonForm({ action: `${at}/wake`, label: "Wake this number", kind: "main" })}`
    case "stopped":
      return ""
  }
}

/** `typedName`: what was typed into the form of the deletion before a sign-in that it needed. */
function endings(bridge: Bridge.Info, running: Running, typedName: string): Html {
  const at = pathOf(bridge)
  return html`<section class="card">
    <header>
      <h2>Pause, unlink or delete</h2>
      <p>
        A paused number is offline and refuses calls. Unlinking removes this service from the phone's linked
        devices; the number stays here. Deleting removes all that is kept of it.
      </p>
    </header>
    <div class="row">
      ${pausing(at, running)}
      ${confirming({
        label: "Unlink the phone",
        about: "No message is received until a phone is linked again.",
        act: buttonForm({ action: `${at}/unlink`, label: "Unlink it now", kind: "danger" }),
        kind: "danger",
      })}
      ${confirming({
        label: "Delete this number",
        about: "All that is kept of it goes, and nobody can bring it back.",
        act: deleting(bridge, typedName),
        kind: "danger",
        isOpen: typedName !== "",
      })}
    </div>
  </section>`
}

function deleting(bridge: Bridge.Info, typedName: string): Html {
  return html`<form class="inline" method="post" action="${pathOf(bridge)}/delete">
    ${confirmField(bridge.customerRef, typedName)}
    <button class="button danger">Delete it for ever</button>
  </form>`
}
