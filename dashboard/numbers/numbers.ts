import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { Bridge } from "#core/bridge/bridge.ts"
import { restart } from "#core/bridge/restart.ts"
import { ApiError } from "#core/error.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventIndex } from "#core/event/event-index.ts"
import { nowMs } from "#core/platform/clock.ts"
import { page, sentenceCase } from "../answer.ts"
import { billingPages } from "../billing-hooks.ts"
import { type DashboardEnv, notAllowed, onlyLooks } from "../guard.ts"
import { live } from "../live.ts"
import { type Row, newNumber, numberRow, numbers as numbersPage } from "../pages/numbers.ts"
import { overview, receiverCard, stateCard } from "../pages/overview.ts"
import { evidenceOf, receivingOf } from "./evidence.ts"
import type { Receiving } from "./receiver.ts"

/** How often a state is asked for while its page is open. */
const lookEachMs = 2000

/** The account's numbers, and the overview of each. */
export const numbers = new Hono<DashboardEnv>()
  .get("/numbers", async (c) => {
    const rows = await rowsOf(c.var.me.account.id)
    const body = numbersPage({ rows, mayChange: c.var.me.role !== "viewer", nowMs: nowMs() })
    return await page(c, { title: "Numbers", place: "numbers", body })
  })
  .get("/live/numbers", async (c) => {
    const known: Known = new Map()
    return await live(c, lookEachMs, async () => {
      const rows = await rowsOf(c.var.me.account.id, known)
      return new Map(rows.map((row) => [row.ref, { html: numberRow(row, nowMs()) }]))
    })
  })
  .get("/new-number", async (c) => {
    if (c.var.me.role === "viewer") return await notAllowed(c, onlyLooks)
    return await page(c, { title: "Add a number", place: "numbers", body: newNumber({ ref: "", url: "" }) })
  })
  .post("/new-number", async (c) => {
    const form = await c.req.parseBody()
    const ref = typeof form.customer_ref === "string" ? form.customer_ref : ""
    const url = typeof form.webhook_url === "string" ? form.webhook_url.trim() : ""
    try {
      const asked = { accountId: c.var.me.account.id, customerRef: ref, webhookUrl: url }
      const { bridge, created } = await Bridge.create(asked)
      if (!created && !(await isUnused(bridge, url))) return await taken(c, ref, url)
      return c.redirect(`/numbers/${bridge.customerRef}/connect`, 303)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const wanted = { customerRef: ref, webhookUrl: url }
      const first = await billingPages()?.paymentFirst(c.var.accountId, error, wanted)
      if (first !== undefined) return c.redirect(first, 303)
      const body = newNumber({ ref, url, problem: sentenceCase(error.message) })
      return await page(c, { title: "Add a number", place: "numbers", body, status: error.status })
    }
  })
  .get("/numbers/:ref", async (c) => {
    const shown = await shownOf(c.var.bridge, c.var.me.role)
    return await page(c, { title: shown.ref, place: "numbers", body: overview(shown) })
  })
  .get("/numbers/:ref/stream", (c) =>
    live(c, lookEachMs, async () => {
      const shown = await shownOf(c.var.bridge, c.var.me.role)
      return new Map([
        ["state", { html: stateCard(shown) }],
        ["receiver", { html: receiverCard(shown) }],
      ])
    }),
  )
  .post("/numbers/:ref/restart", async (c) => {
    await restart(c.var.bridge.id, c.var.requestId)
    return c.redirect(`/numbers/${c.var.bridge.customerRef}/connect`, 303)
  })

/**
 * Whether it is what was asked for and has never had an event: the form was sent twice. A second number would be paid for.
 * @param url the webhook that was asked for, which is valid
 */
async function isUnused({ id, webhookUrl }: Bridge.Info, url: string): Promise<boolean> {
  if ((url && new URL(url).href) !== webhookUrl) return false
  const [newest, delivery] = await Promise.all([EventIndex.newest(id), Delivery.get(id)])
  return newest === 0 && (delivery?.head ?? 0) === 0
}

/** A number of that name is there, perhaps with another webhook: it is not taken for the new one. */
async function taken(c: Context<DashboardEnv>, ref: string, url: string): Promise<Response> {
  const problem = html`This account has a number of this name: choose another name, or
    <a href="/numbers/${ref}">open that number</a>.`
  const body = newNumber({ ref, url, problem })
  return await page(c, { title: "Add a number", place: "numbers", body, status: 409 })
}

/** The last readings of receivers, by the ids of their bridges, with their times. */
/** `readAtMs` is monotonic. */
type Known = Map<string, { receiving: Receiving; readAtMs: number }>

/** How many numbers are asked at once, and for how long what is known of a receiver will do, ms. */
const atOnce = 5
const receiverLookMs = 10_000

async function rowsOf(accountId: string, known: Known = new Map()): Promise<Row[]> {
  const all = (await Bridge.list(accountId)).filter(Bridge.isOffered)
  const rows: Row[] = []
  for (let i = 0; i < all.length; i += atOnce)
    rows.push(...(await Promise.all(all.slice(i, i + atOnce).map((bridge) => rowOf(bridge, known)))))
  return rows
}

async function rowOf(bridge: Bridge.Info, known: Known): Promise<Row> {
  const before = known.get(bridge.id)
  const isFresh = before !== undefined && performance.now() - before.readAtMs < receiverLookMs
  const [evidence, receiving] = await Promise.all([
    evidenceOf(bridge),
    isFresh ? before.receiving : receivingOf(bridge),
  ])
  if (!isFresh) known.set(bridge.id, { receiving, readAtMs: performance.now() })
  return { ref: bridge.customerRef, isSandbox: bridge.isSandbox, evidence, receiving }
}

async function shownOf(bridge: Bridge.Info, role: string) {
  const [evidence, receiving] = await Promise.all([evidenceOf(bridge), receivingOf(bridge)])
  const { customerRef: ref, id, isSandbox, createdMs } = bridge
  return { ref, id, isSandbox, createdMs, evidence, receiving, mayChange: role !== "viewer", nowMs: nowMs() }
}
