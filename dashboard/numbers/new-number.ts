import { createHash } from "node:crypto"
import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { Bridge } from "#core/bridge/bridge.ts"
import { refOfName } from "#core/bridge/ref-of-name.ts"
import { ApiError } from "#core/error.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { Lease } from "#core/lease/lease.ts"
import { headedPage } from "../answer.ts"
import { sentenceForPeople } from "../api-words.ts"
import { did } from "../audit-log.ts"
import { type Html, note, selectField, urlField, field } from "../elements.ts"
import { nameIn, typedIn } from "../form.ts"
import { type DashboardEnv, notAllowed, viewerRefusal } from "../guard.ts"
import { manyNumbers } from "./ranking.ts"

const shown = {
  title: "Add a number",
  crumbs: html`<a href="/numbers">Numbers</a>`,
  about: "Give it a name of your own. You link the phone in the next step.",
  place: "numbers",
} as const

/** Adding a number to the account. */
export const newNumber = new Hono<DashboardEnv>()
  .get("/new-number", async (c) => {
    if (!c.var.me.mayChange) return await notAllowed(c, viewerRefusal)
    return await headedPage(c, { ...shown, body: await form(c, { name: "", url: "" }) })
  })
  .post("/new-number", async (c) => {
    const typed = await typedIn(c, "customer_ref", "webhook_url", "like")
    const name = typed.customer_ref.trim().toWellFormed()
    const ref = refOf(name)
    const like = typed.like === "" ? undefined : await Bridge.find(c.var.accountId, typed.like)
    const url = typed.webhook_url.trim() || (like?.webhookUrl ?? "")
    const wanted = { customerRef: ref, webhookUrl: url }
    const shownName = name === ref ? "" : name
    try {
      nameIn(name)
      const { bridge, created } = await Bridge.create({ accountId: c.var.accountId, ...wanted })
      if (created && shownName !== "") await Bridge.setShownName(bridge, shownName)
      if (created && like) await takeSettings(bridge, like)
      if (created) await did(c, "number_added", bridge.customerRef)
      if (!created && !(bridge.shownName === shownName && (await isUnused(bridge, url))))
        return await headedPage(c, {
          ...shown,
          body: await form(c, { name, url, problem: taken(ref) }),
          status: 409,
        })
      return c.redirect(`/numbers/${bridge.customerRef}/connect`, 303)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const first = await c.var.billing?.leadToPayment(c.var.accountId, error, wanted)
      if (first !== undefined) return c.redirect(first, 303)
      const body = await form(c, { name, url, problem: sentenceForPeople(error.message) })
      return await headedPage(c, { ...shown, body, status: error.status })
    }
  })

/** The reference of a number of this name: for programs, and for good. */
function refOf(name: string): string {
  const ref = refOfName(name)
  if (name === "" || /^[\w-]{1,64}$/.test(ref)) return ref
  // A name without any Latin letter or digit. The same name has the same reference.
  return `number-${createHash("sha256").update(name).digest("hex").slice(0, 8)}`
}

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
  return html`This account has a number of this name, or of one that programs would call the same: choose
    another name, or <a href="/numbers/${ref}">open that number</a>.`
}

/**
 * Gives a new number what was chosen of another: events, pacing, what is kept. Proxy and media store are each
 * number's own.
 */
async function takeSettings({ id }: Bridge.Info, like: Bridge.Info): Promise<void> {
  const lease = await Lease.get(like.id)
  if (!lease) return
  const { proxy: _, mediaStore: __, ...choice } = lease.choice
  await Lease.choose(id, choice)
}

async function form(
  c: Context<DashboardEnv>,
  typed: { name: string; url: string; problem?: Html | string },
): Promise<Html> {
  const all = c.var.me.account.bridges > manyNumbers ? [] : await Bridge.listBrief(c.var.accountId)
  const others = all.filter((one) => Bridge.isVisible(one) && !one.isSandbox)
  const choices = others.map(({ customerRef, shownName }) => [customerRef, shownName || customerRef] as const)
  return html`<form class="card" method="post" action="/new-number">
    ${typed.problem ? note("bad", typed.problem) : ""}
    ${field(
      "Name",
      {
        id: "ref",
        name: "customer_ref",
        required: true,
        maxlength: 128,
        value: typed.name,
        placeholder: "Shop Berlin",
      },
      {
        hint: "It can be changed in its settings. For programs, letters, digits and dashes are made of it, for good: Shop-Berlin.",
      },
    )}
    ${urlField(
      html`Webhook address <span class="muted">(optional)</span>`,
      { name: "webhook_url", value: typed.url },
      "For programs: where what happens is sent. Leave it empty to read and answer here; you can change it at any time.",
    )}
    ${
      others.length === 0
        ? ""
        : selectField({
            name: "like",
            label: "Settings, and the webhook if none is given, like those of",
            choices: [["", "no other number"], ...choices],
            chosen: c.req.query("like"),
          })
    }
    <div class="row">
      <button class="button main">Add it and link a phone</button>
      <a class="button" href="/numbers">Cancel</a>
    </div>
  </form>`
}
