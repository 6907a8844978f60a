import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { Account } from "#core/account/account.ts"
import { Mail } from "#core/account/mail.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { BridgesOfPhone } from "#core/bridge/bridges-of-phone.ts"
import { pauseForOperator, suspend, wake } from "#core/bridge/operator-stop-and-wake.ts"
import { DeliveryReport } from "#core/event/delivery-report.ts"
import { waitingLongest } from "#core/event/waiting-deliveries.ts"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { nowMs } from "#core/platform/clock.ts"
import { log } from "#core/platform/log.ts"
import { page } from "../answer.ts"
import { time } from "../elements.ts"
import { textsOf, unlessFresh } from "../fresh-sign-in.ts"
import { type DashboardEnv, notAllowed } from "../guard.ts"
import { head } from "../layout.ts"
import { foundPage, matchesPage, operatorPage } from "../pages/operator.ts"
import { mails } from "../pages/people/sign-in.ts"

/** How many numbers with waiting events the page shows. */
const mostWaiting = 10

/** Pages for the people who run the service alone: everybody's accounts, and mails that would sign others in. */
export const operator = new Hono<DashboardEnv>()
for (const path of ["/operator/*", "/dev/mail"])
  operator.use(path, async (c, next) => {
    const { account, role } = c.var.me
    if (account.isOperator && role === "owner") return await next()
    return await notAllowed(c, "This is for the owners of the account that runs the service.")
  })
operator.get("/operator", async (c) => await show(c))
operator.get("/operator/find", async (c) => await showFound(c, c.req.query("id")?.trim() ?? ""))
operator.post("/operator/:act{pause|wake|suspend|resume}", async (c) => {
  const { id } = textsOf(await c.req.parseBody(), "id")
  const at = `/operator/find?${new URLSearchParams({ id }).toString()}`
  const again = unlessFresh(c, at)
  if (again) return again
  const act = c.req.param("act")
  if (!(await acts[act]?.(id)))
    return await showFound(c, id, "Nothing was changed: the number is in another state, as shown here.")
  log.info({ requestId: c.var.requestId, bridgeId: id, act }, "the operator changed a bridge's state")
  return c.redirect(at, 303)
})
operator.get("/dev/mail", async (c) => {
  const about = "This service sends no mail. Its mails are kept here until it ends."
  const shown = mails(Mail.list().map((mail) => ({ ...mail, at: time(mail.atMs) })))
  const body = html`${head({ title: "Mail", about })}${shown}`
  return await page(c, { title: "Mail", place: "mail", body })
})

/** The changes that an operator makes to a number here: each says whether it was made. */
const acts: Record<string, (id: string) => Promise<boolean>> = {
  pause: pauseForOperator,
  wake: async (id) => await wake(id, "operator", "idle"),
  suspend,
  resume: async (id) => await wake(id, "suspended"),
}

async function show(c: Context<DashboardEnv>, told?: string): Promise<Response> {
  const [accounts, hosts, longest] = await Promise.all([
    Account.list(),
    Host.list(),
    waitingLongest(mostWaiting),
  ])
  const waiting = await Promise.all(longest.map(({ bridgeId }) => waitingOf(bridgeId)))
  const body = operatorPage({ accounts, hosts, waiting: waiting.toSorted(byAge), told, nowMs: nowMs() })
  return await page(c, {
    title: "Operator",
    place: "operator",
    body,
    ...(told !== undefined && { status: 404 }),
  })
}

const byAge = (a: { oldest_at?: number }, b: { oldest_at?: number }) =>
  (a.oldest_at ?? Infinity) - (b.oldest_at ?? Infinity)

async function waitingOf(bridgeId: string) {
  return { bridgeId, ...(await DeliveryReport.summary(bridgeId)) }
}

/** The numbers that have been linked to this phone, the latest first. One that is deleted has no row. */
async function linkedTo(phone: string) {
  if (!/^\+?[\d\s()./-]{7,}$/.test(phone)) return []
  const linked = await BridgesOfPhone.find(phone.replaceAll(/\D/g, ""))
  const found = await Promise.all(
    linked.map(async ({ bridgeId, connectedAt }) => {
      const bridge = await Bridge.byId(bridgeId)
      const account = bridge && (await Account.get(bridge.accountId))
      return account && { id: bridgeId, ref: bridge.customerRef, account, connectedAt }
    }),
  )
  return found.filter((one) => one !== undefined)
}

/** The number of this id, or the numbers of the account of this id; else everything of this phone or name. */
async function showFound(c: Context<DashboardEnv>, asked: string, told?: string): Promise<Response> {
  const bridge = await Bridge.byId(asked)
  const account = await Account.get(bridge?.accountId ?? asked)
  if (!account) return await showMatches(c, asked)
  const bridges = bridge ? [bridge] : await Bridge.list(account.id)
  const numbers = await Promise.all(bridges.map(numberOf))
  const body = foundPage({ account, numbers, isOne: bridge !== undefined, told, nowMs: nowMs() })
  const title = bridge?.customerRef ?? account.name
  return await page(c, { title, place: "operator", body, ...(told !== undefined && { status: 409 }) })
}

/** A customer may name their account as another's: nothing can be done to any of them before one is chosen by its id. */
async function showMatches(c: Context<DashboardEnv>, asked: string): Promise<Response> {
  const [numbers, all] = await Promise.all([linkedTo(asked), Account.list()])
  const accounts = all.filter(({ name }) => name.toLowerCase() === asked.toLowerCase())
  if (numbers.length + accounts.length === 0)
    return await show(
      c,
      "Nothing was found: an account is found by its id or name, a number by its id or phone.",
    )
  const body = matchesPage({ asked, accounts, numbers, nowMs: nowMs() })
  return await page(c, { title: asked, place: "operator", body })
}

async function numberOf({ id, customerRef: ref }: Bridge.Info) {
  const [lease, waiting] = await Promise.all([Lease.get(id), waitingOf(id)])
  return {
    id,
    ref,
    waiting,
    lease: lease && {
      ...lease,
      why: Lease.whyStopped(lease),
      state: Lease.stateOf(lease),
      isHeld: Lease.isHeld(lease),
    },
  }
}
