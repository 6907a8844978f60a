import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { BridgesOfPhone } from "#core/bridge/bridges-of-phone.ts"
import { pauseForOperator, suspend, wake } from "#core/bridge/operator-stops.ts"
import { Receiver } from "#core/event/receiver.ts"
import { Lease } from "#core/lease/lease.ts"
import { log } from "#core/platform/log.ts"
import { headedPage } from "../answer.ts"
import { cardTable, copyable, facts, type Html, note, buttonForm } from "../elements.ts"
import { typedIn } from "../form.ts"
import { unlessFresh } from "../fresh-sign-in.ts"
import type { DashboardEnv } from "../guard.ts"
import { age, ago } from "../times.ts"
import { accountsCard, showOperator, whatWaitsFor } from "./operator.ts"

/** Finding a number or an account, and stopping or waking one number. */
export const findAndStop = new Hono<DashboardEnv>()
  .get("/operator/find", async (c) => await showFound(c, c.req.query("id")?.trim() ?? ""))
  .post("/operator/:act{pause|wake|suspend|resume}", async (c) => {
    const { id } = await typedIn(c, "id")
    const at = `/operator/find?${new URLSearchParams({ id }).toString()}`
    const again = unlessFresh(c, at)
    if (again) return again
    const act = c.req.param("act")
    if (!(await acts[act]?.(id)))
      return await showFound(c, id, "Nothing was changed: the number is in another state, as shown here.")
    log.info({ requestId: c.var.requestId, bridgeId: id, act }, "the operator changed a bridge's state")
    return c.redirect(at, 303)
  })

/** The changes that an operator makes to a number here: each says whether it was made. */
const acts: Record<string, (id: string) => Promise<boolean>> = {
  pause: pauseForOperator,
  wake: async (id) => await wake(id, "operator", "idle"),
  suspend,
  resume: async (id) => await wake(id, "suspended"),
}

/** How many numbers of an account are shown. */
const mostShown = 100

const toOperator = html`<a href="/operator">Operator</a>`

/**
 * Shows the number of this id, or the numbers of the account of this id; else everything of this phone or
 * name.
 */
async function showFound(c: Context<DashboardEnv>, asked: string, problem?: string): Promise<Response> {
  const bridge = await Bridge.byId(asked)
  const account = await Account.get(bridge?.accountId ?? asked)
  if (!account) return await showMatches(c, asked)
  const all = bridge ? [bridge] : await Bridge.list(account.id)
  const numbers = await Promise.all(all.slice(0, mostShown).map(numberOf))
  const title = bridge?.customerRef ?? account.name
  const about = html`Account <a href="/operator/find?id=${account.id}">${account.name}</a>, subscription
    ${account.subscription}.`
  const body = html`${problem === undefined ? "" : note("bad", problem)}
  ${all.length > mostShown ? note("info", `The first ${mostShown} of ${all.length} numbers. Any other is found by its id or phone.`) : ""}
  ${numbers.length === 0 ? note("info", "This account has no number.") : numbers.map((one) => numberCard(one, bridge ? "State" : one.ref))}`
  const status = problem === undefined ? 200 : 409
  return await headedPage(c, { title, crumbs: toOperator, about, place: "operator", body, status })
}

/**
 * The accounts of a name, and the numbers that have been linked to a phone. Names are not unique, and a phone
 * is linked to one number after another: nothing can be done to any of them before one is chosen by its id.
 */
async function showMatches(c: Context<DashboardEnv>, asked: string): Promise<Response> {
  const [numbers, all] = await Promise.all([linkedTo(asked), Account.list()])
  const accounts = all.filter(({ name }) => name.toLowerCase() === asked.toLowerCase())
  if (numbers.length + accounts.length === 0)
    return await showOperator(
      c,
      "Nothing was found: an account is found by its id or name, a number by its id or phone.",
    )
  const about = "Names are free, and a phone can be linked again elsewhere: choose by the id."
  const body = html`${accounts.length === 0 ? "" : accountsCard(accounts)}
  ${numbers.length === 0 ? "" : linkedCard(numbers)}`
  return await headedPage(c, { title: asked, crumbs: toOperator, about, place: "operator", body })
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

function linkedCard(numbers: Awaited<ReturnType<typeof linkedTo>>): Html {
  return html`<section class="card flush">
    <header>
      <h2>Numbers that have been linked to this phone</h2>
      <p>The one that connected last comes first. It may be linked to another phone by now.</p>
    </header>
    ${cardTable({
      label: "Numbers",
      heads: ["Number", "Account", "Last connected", "Id"],
      rows: numbers.map(
        ({ id, ref, account, connectedAt }) =>
          html`<tr>
            <td class="strong"><a href="/operator/find?id=${id}">${ref}</a></td>
            <td data-label="Account"><a href="/operator/find?id=${account.id}">${account.name}</a></td>
            <td data-label="Last connected">${ago(connectedAt * 1000)}</td>
            <td>${copyable(id)}</td>
          </tr>`,
      ),
    })}
  </section>`
}

type Found = Awaited<ReturnType<typeof numberOf>>
/** `why`: the gravest reason why it must not run. */
type Shown = NonNullable<Found["lease"]>

async function numberOf({ id, customerRef: ref }: Bridge.Info) {
  const [lease, waiting] = await Promise.all([Lease.get(id), whatWaitsFor(Receiver.first(id))])
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

function numberCard({ id, lease, waiting }: Found, title: string): Html {
  const oldest =
    waiting.oldest_at === undefined ? "" : html`, the oldest for ${age(waiting.oldest_at * 1000)}`
  return html`<section class="card">
    <h2>${title}</h2>
    ${facts([
      ["Id", copyable(id)],
      ...(lease ? leaseFacts(lease) : [["State", "deleted a moment ago"] as const]),
      ["Events that wait", html`${waiting.waiting}${oldest}`],
    ])}
    ${
      lease
        ? html`<div class="row">${buttons(id, lease)}</div>
            <p class="small muted">${aboutStops}</p>`
        : ""
    }
  </section>`
}

const aboutStops =
  "A number that is paused or suspended neither sends nor receives until you wake or resume it. A suspended one costs its account nothing, and its people are told to ask you why."

function leaseFacts(lease: Shown): [name: string, value: Html | string][] {
  const trouble = [
    counted(lease.failures, "failure"),
    `${counted(lease.deaths, "death")} of hosts`,
    `${counted(lease.logins, "login")} that did not last`,
  ]
  return [
    ["State", `${lease.state}${lease.why === undefined ? "" : ` (${lease.why})`}`],
    ["Session", sessionOf(lease)],
    ["Lease", html`${holderOf(lease)}, epoch ${lease.epoch}`],
    ["Recent trouble", trouble.join(", ")],
  ]
}

function sessionOf({ reported, isHeld }: Shown): Html | string {
  if (!reported) return "has said nothing yet"
  const sinceMs = reported.since * 1000
  if (isHeld) return html`${reported.status}, for ${age(sinceMs)}`
  return html`none; the last one became ${reported.status} ${ago(sinceMs)}`
}

function holderOf({ host, isHeld, state }: Shown): Html | string {
  if (isHeld) return html`host <code>${host}</code>`
  return state === "running" ? "waits for a host" : "no host"
}

function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`
}

/**
 * The buttons for a number as it is now. One that is paused for billing runs again when it is paid, and one
 * that its people have paused is theirs to wake, unless the operator pauses it, too.
 */
function buttons(id: string, { state, why }: Shown): Html[] {
  const act = (name: string, label: string, kind: "" | "danger" = "") =>
    buttonForm({ action: `/operator/${name}`, label, kind, fields: { id } })
  if (state === "moved") return []
  if (state === "suspended") return [act("resume", "Resume")]
  const suspend = act("suspend", "Suspend", "danger")
  if (state === "running" || why === "customer") return [act("pause", "Pause"), suspend]
  return why === "operator" || why === "idle" ? [act("wake", "Wake"), suspend] : [suspend]
}
