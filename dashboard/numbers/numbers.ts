import { setTimeout as sleep } from "node:timers/promises"
import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import { page, queryOf } from "../answer.ts"
import { type Html, icon, note } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"
import { head } from "../layout.ts"
import { live } from "../live.ts"
import { type Evidence, evidenceOf, soonOf } from "./evidence.ts"
import { receiverLine, type Receiving, receivingOf } from "./receiver.ts"
import { type Group, groups, type Standing, standingsOf } from "./standing.ts"
import { evidenceLine, inWords, phoneOf, placeOf } from "./state.ts"

/** How often a state is asked for while its page is open. */
export const lookEachMs = 2000

const perPage = 100
/** A page of very many numbers is looked at less often. */
const fewRows = 20
const lookAtManyEachMs = 5000
/** How long the first page waits for the words of sessions, and for the order of very many numbers, ms. */
const soonMs = 150
const orderWithinMs = 500

const Asked = z.object({
  search: z.string().trim().min(1).max(64).optional().catch(undefined),
  show: z
    .enum(["failing", ...groups])
    .optional()
    .catch(undefined),
  page: z.coerce.number().int().min(2).max(1000).optional().catch(undefined),
})
type Asked = z.infer<typeof Asked>

/** Every number of the account, with its state and how its events get through. */
export const numbers = new Hono<DashboardEnv>()
  .get("/numbers", async (c) => {
    const mayChange = c.var.me.role !== "viewer"
    const asked = Asked.parse(c.req.query())
    const listed = await listedFor(c, asked)
    const rows = await rowsOf(listed.bridges, async (bridge, lease) => await soonOf(bridge, lease, soonMs))
    const body = html`${head({
      title: "Numbers",
      about: "Each phone number that this account has connected, or is about to.",
      ...(mayChange && { actions: addButton() }),
    })}
    ${listed.all === 0 ? noNumber(mayChange) : html`${filterForm(asked, listed)} ${list(rows, asked, listed)}`}`
    return await page(c, { title: "Numbers", place: "numbers", body })
  })
  .get("/live/numbers", async (c) => {
    const { bridges } = await listedFor(c, Asked.parse(c.req.query()))
    const known: Known = new Map()
    const eachMs = bridges.length > fewRows ? lookAtManyEachMs : lookEachMs
    return await live(c, eachMs, async () => {
      const rows = await rowsOf(bridges, evidenceOf, known)
      return new Map(rows.map((row) => [row.ref, { html: numberRow(row) }]))
    })
  })

/** The numbers of a page, and what there is besides. */
interface Listed {
  bridges: Bridge.Info[]
  /** How many fit what is asked for, and how many there are. */
  fitting: number
  all: number
  /** How many there are of each kind; undefined while so many are not counted yet. */
  counts: Record<Group | "failing", number> | undefined
}

async function listedFor(c: Context<DashboardEnv>, { search, show, page: nth = 1 }: Asked): Promise<Listed> {
  const all = (await Bridge.list(c.var.accountId)).filter(Bridge.isOffered)
  const standings = await Promise.race([standingsOf(c.var.accountId, all), sleep(orderWithinMs, undefined)])
  const text = search?.toLowerCase() ?? ""
  const isWanted = ({ group, isFailing }: Standing) =>
    show === undefined || (show === "failing" ? isFailing : group === show)
  const ordered = standings ? standings.filter(isWanted).map(({ bridge }) => bridge) : all
  const fitting = ordered.filter(({ customerRef }) => customerRef.toLowerCase().includes(text))
  return {
    bridges: fitting.slice((nth - 1) * perPage, nth * perPage),
    fitting: fitting.length,
    all: all.length,
    counts: standings && countsOf(standings),
  }
}

function countsOf(standings: Standing[]): Record<Group | "failing", number> {
  const counts = { down: 0, unsettled: 0, connected: 0, unlinked: 0, failing: 0 }
  for (const { group, isFailing } of standings) {
    counts[group]++
    if (isFailing) counts.failing++
  }
  return counts
}

/** The last readings of receivers, by the ids of their bridges. `readAtMs` is monotonic. */
type Known = Map<string, { receiving: Receiving; readAtMs: number }>

/** For how long what is known of a receiver will do, ms. */
const receiverLookMs = 10_000

interface Row {
  ref: string
  isSandbox: boolean
  evidence: Evidence
  receiving: Receiving
}

type Look = (bridge: Bridge.Info, lease: Lease.Info | undefined) => Promise<Evidence>

async function rowsOf(bridges: Bridge.Info[], look: Look, known: Known = new Map()): Promise<Row[]> {
  const leases = await Lease.byIds(bridges.map(({ id }) => id))
  return await Promise.all(
    bridges.map(async (bridge) => await rowOf(bridge, look(bridge, leases.get(bridge.id)), known)),
  )
}

async function rowOf(bridge: Bridge.Info, looking: Promise<Evidence>, known: Known): Promise<Row> {
  const before = known.get(bridge.id)
  const isFresh = before !== undefined && performance.now() - before.readAtMs < receiverLookMs
  const [evidence, receiving] = await Promise.all([looking, isFresh ? before.receiving : receivingOf(bridge)])
  if (!isFresh) known.set(bridge.id, { receiving, readAtMs: performance.now() })
  return { ref: bridge.customerRef, isSandbox: bridge.isSandbox, evidence, receiving }
}

function addButton(): Html {
  return html`<a class="button main" href="/new-number">${icon("plus")} Add a number</a>`
}

function noNumber(mayChange: boolean): Html {
  return html`<div class="card empty">
    ${icon("numbers")}
    <h2>No number yet</h2>
    <p>Add one and link a phone to it. Its messages then come to your webhook, or to an inbox here.</p>
    ${mayChange ? addButton() : ""}
  </div>`
}

const kinds = [
  ["down", "Down"],
  ["failing", "Events do not get through"],
  ["unsettled", "Unsettled"],
  ["connected", "Connected"],
  ["unlinked", "Not linked"],
] as const

function filterForm({ search, show }: Asked, { all, counts }: Listed): Html {
  const countOf = (kind: Group | "failing") => (counts ? ` (${counts[kind]})` : "")
  return html`${counts ? "" : note("info", "There are so many numbers that they are not in the order of their troubles yet: load this page again in some seconds.")}
    <form class="inline" method="get" action="/numbers" aria-label="Filter">
      <div>
        <label for="search">Name contains</label>
        <input id="search" name="search" type="search" value="${search ?? ""}" autocomplete="off" />
      </div>
      <div>
        <label for="show">Show</label>
        <select id="show" name="show">
          <option value="">All (${all})</option>
          ${kinds.map(
            ([kind, words]) =>
              html`<option value="${kind}" ${kind === show ? "selected" : ""}>
                ${words}${countOf(kind)}
              </option>`,
          )}
        </select>
      </div>
      <button class="button">Filter</button>
      ${search === undefined && show === undefined ? "" : html`<a class="button" href="/numbers">Show all</a>`}
    </form>`
}

function list(rows: Row[], asked: Asked, { fitting }: Listed): Html {
  const { page: nth = 1 } = asked
  const first = (nth - 1) * perPage
  const link = (to: number, words: string) =>
    html`<a class="button" href="/numbers?${queryOf({ ...asked, page: to === 1 ? undefined : to })}"
      >${words}</a
    >`
  return html`<div class="card flush" data-stream="/live/numbers?${queryOf(asked)}">
      ${rows.length === 0 ? html`<div class="empty"><p>No number is such a one.</p></div>` : table(rows)}
    </div>
    ${
      fitting <= perPage
        ? ""
        : html`<div class="row">
            ${nth > 1 ? link(nth - 1, "Before") : ""}
            <span class="small muted">${first + 1} to ${first + rows.length} of ${fitting}</span>
            ${first + rows.length < fitting ? link(nth + 1, "Further ones") : ""}
          </div>`
    }`
}

function table(rows: Row[]): Html {
  return html`<div class="scroller" tabindex="0" role="region" aria-label="Numbers">
    <table class="cards">
      <thead>
        <tr>
          <th>Number</th>
          <th>State</th>
          <th>Webhook</th>
          <th class="end"><span class="hidden">Do</span></th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(numberRow)}
      </tbody>
    </table>
  </div>`
}

function isUnlinked(evidence: Evidence): boolean {
  return evidence.kind === "said" && evidence.status === "unpaired"
}

function numberRow(row: Row): Html {
  const { action } = inWords(row.evidence)
  const at = `/numbers/${row.ref}`
  return html`<tr id="number-${row.ref}">
    <td>
      <a class="strong" href="${at}">${row.ref}</a>
      ${row.isSandbox ? html`<span class="tag">sandbox</span>` : ""}
      <div class="small muted">${phoneOf(row.evidence) || (isUnlinked(row.evidence) ? "no phone" : "")}</div>
    </td>
    <td>${evidenceLine(row.evidence)}</td>
    <td>${receiverLine(row.ref, row.receiving)}</td>
    <td class="end">
      ${
        action
          ? html`<a class="button slim" href="${placeOf(at, action.to)}"
              >${action.label}<span class="hidden"> ${row.ref}</span></a
            >`
          : html`<a class="button slim" href="${at}">Open<span class="hidden"> ${row.ref}</span></a>`
      }
    </td>
  </tr>`
}
