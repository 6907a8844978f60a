import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import type { Account } from "#core/account/account.ts"
import { KeptOverview } from "#core/account/kept-overview.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { BridgesOfPhone } from "#core/bridge/bridges-of-phone.ts"
import { type KnownState, knownStateOf, knownStateWithin } from "#core/bridge/known-state.ts"
import { Delivery } from "#core/event/delivery.ts"
import { Lease } from "#core/lease/lease.ts"
import { LinkedPhone } from "#core/lease/linked-phone.ts"
import { headedPage, toQuery } from "../answer.ts"
import { cardTable, empty, type Html, icon, note, selectField, field } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"
import { live, type Piece } from "../live.ts"
import { receiverLine, type Receiving, receivingOf } from "../webhooks/webhook-health.ts"
import { actOnChosen, actsForm } from "./bulk.ts"
import { type Kind, kinds, kindWords, manyNumbers, overviewOf, rankingOf } from "./ranking.ts"
import { calledOf, stateLine, inWords, phoneOf, pathOfAction } from "./state-words.ts"

/** How often a state is asked for while its page is open. */
export const lookEachMs = 2000

const perPage = 100
/** A page with more rows than this is looked at less often. */
const fewRows = 20
const lookAtManyEachMs = 5000
/** How long the first page waits for the words of sessions, ms. */
const soonMs = 150
/** How long a search waits for them, ms. */
const searchMs = 600

const Asked = z.object({
  search: z.string().trim().min(1).max(64).optional().catch(undefined),
  show: z.enum(kinds).optional().catch(undefined),
  page: z.coerce.number().int().min(2).max(1000).optional().catch(undefined),
})
type Asked = z.infer<typeof Asked>

/** Every number of the account, with its state and how its events get through. */
export const numbers = new Hono<DashboardEnv>()
  .get("/numbers", async (c) => await show(c))
  .post("/numbers", async (c) => {
    const done = await actOnChosen(c)
    return "answer" in done ? done.answer : await show(c, done.notice)
  })
  .get("/live/numbers", async (c) => {
    const { account, mayChange } = c.var.me
    const asked = Asked.parse(c.req.query())
    const found = (c.req.query("found") ?? "").split(" ")
    let listed = await listedFor(account, asked, found)
    let isOrdered = false
    const known: Known = new Map()
    const eachMs = listed.bridges.length > fewRows ? lookAtManyEachMs : lookEachMs
    return await live(c, eachMs, async () => {
      const isMany = listed.all > manyNumbers
      // The page came in the order that was kept. Its stream has the time to look at each number, once.
      if (isMany && !isOrdered) listed = await listedFor(account, asked, found, true)
      const rows = await rowsOf(listed.bridges, knownStateOf, known)
      const pieces = new Map<string, Piece>(rows.map((row) => [row.ref, { html: numberRow(row, mayChange) }]))
      if (!isMany || isOrdered) return pieces
      isOrdered = true
      return new Map([["list", { html: list(rows, asked, listed, mayChange) }]])
    })
  })

async function show(c: Context<DashboardEnv>, notice?: Html) {
  const { account, mayChange } = c.var.me
  const actions = mayChange ? addButton() : undefined
  const asked = Asked.parse(c.req.query())
  const found = await foundBy(c, asked.search)
  const listed = await listedFor(account, asked, found)
  const rows = await rowsOf(
    listed.bridges,
    async (bridge, lease) => await knownStateWithin(bridge, lease, soonMs),
  )
  const query = toQuery({ ...asked, found: found.join(" ") || undefined })
  const about =
    "The phone numbers of this account: those that a phone is linked to, and those that wait for one."
  const body = html`${notice ?? ""}
  ${listed.all === 0 || (listed.all === 1 && listed.bridges[0]?.isSandbox) ? noNumber(actions) : ""}
  ${
    listed.all === 0
      ? ""
      : html`<div class="stack" data-stream="/live/numbers?${query}">
            ${list(rows, asked, listed, mayChange)}
          </div>
          ${mayChange ? actsForm() : ""}`
  }`
  const more = html`<a href="/webhooks">Webhooks of all numbers</a> · <a href="/numbers.csv" download>CSV</a>`
  const head = { title: "Numbers", about: html`${about} ${more}` }
  return await headedPage(c, { ...head, actions, place: "numbers", body })
}

/** The numbers on a page, and how many there are in all. */
interface Listed {
  bridges: Bridge.Listed[]
  /** How many fit what is asked for, and how many there are. */
  fitting: number
  all: number
  /** How many there are of each kind; undefined while so many are not counted yet. */
  counts: KeptOverview.Info["counts"] | undefined
}

/**
 * Of very many numbers the order and the counts are those that were kept, unless there is time to look at
 * each (`isPatient`).
 * @param found the references of the numbers whose phone, or its name, is what is searched for
 */
async function listedFor(
  account: Account.Info,
  asked: Asked,
  found: string[],
  isPatient = false,
): Promise<Listed> {
  const { search, show, page: nth = 1 } = asked
  const isMany = account.bridges > manyNumbers
  // These two kinds are known only after a look at each number.
  const mustLook = isPatient || !isMany || show === "connected" || show === "unlinked"
  if (!mustLook && search === undefined && show === undefined && nth === 1) return await firstPageOf(account)
  const names = (await Bridge.listBrief(account.id)).filter(Bridge.isVisible)
  const all = isMany ? names : names.toSorted(Bridge.oldestFirst)
  const overview = mustLook
    ? overviewOf(await rankingOf(account.id, all))
    : await KeptOverview.get(account.id)
  const ordered = inOrderOf(overview, all, show)
  const text = search?.toLowerCase() ?? ""
  const fitting = ordered.filter(
    ({ customerRef, shownName }) =>
      `${customerRef}\n${shownName}`.toLowerCase().includes(text) || found.includes(customerRef),
  )
  return {
    bridges: fitting.slice((nth - 1) * perPage, nth * perPage),
    fitting: fitting.length,
    all: all.length,
    counts: overview?.counts,
  }
}

/**
 * The first page of very many numbers, without a look at the others: how many there are stands in the
 * account.
 */
async function firstPageOf({ id, bridges: all }: Account.Info): Promise<Listed> {
  const [overview, names] = await Promise.all([KeptOverview.get(id), Bridge.listBrief(id, { most: perPage })])
  const first = overview?.first.slice(0, perPage).map(({ ref }) => ref) ?? []
  const troubled = await Promise.all(first.map(async (ref) => await Bridge.find(id, ref)))
  const others = names.filter(({ customerRef }) => !first.includes(customerRef))
  const bridges = [...troubled.filter((bridge) => bridge !== undefined), ...others]
    .filter(Bridge.isVisible)
    .slice(0, perPage)
  return { bridges, fitting: all, all, counts: overview?.counts }
}

/** First those that an overview has first; then the others, unless only one kind is to be shown. */
function inOrderOf(
  overview: KeptOverview.Info | undefined,
  all: Bridge.Listed[],
  show: Kind | undefined,
): Bridge.Listed[] {
  const left = new Map(all.map((bridge) => [bridge.customerRef, bridge]))
  const first: Bridge.Listed[] = []
  for (const { ref, kinds: its } of overview?.first ?? []) {
    const bridge = left.get(ref)
    left.delete(ref)
    if (bridge && (show === undefined || its.includes(show))) first.push(bridge)
  }
  return show === undefined ? [...first, ...left.values()] : first
}

/** Of up to how many numbers a search asks the sessions for the names of their phones. */
const mostAsked = 200

/**
 * The references of the numbers whose phone, linked now or last, has this text in its number, or as a part of
 * its name at WhatsApp. Of very many numbers: those whose phone has exactly this number.
 */
async function foundBy(c: Context<DashboardEnv>, text = ""): Promise<string[]> {
  const { account } = c.var.me
  const isPhone = /^\+?[\d\s()./-]+$/.test(text)
  const digits = isPhone ? text.replaceAll(/\D/g, "") : ""
  if (text === "") return []
  if (account.bridges > manyNumbers) return digits.length < 7 ? [] : await linkedTo(account.id, digits)
  const bridges = (await Bridge.list(account.id)).filter(Bridge.isVisible)
  const leases = await Lease.byIds(bridges.map(({ id }) => id))
  const found = bridges.map(async (bridge) => {
    const lease = leases.get(bridge.id)
    if (isPhone && digits !== "") {
      const phone = lease ? LinkedPhone.numberOf(lease, await Bridge.deliveryKeyOf(bridge)) : ""
      return phone.includes(digits) ? bridge.customerRef : []
    }
    if (bridges.length > mostAsked) return []
    const state = await knownStateWithin(bridge, lease, searchMs)
    const name = state.kind === "said" ? state.name : ""
    return name.toLowerCase().includes(text.toLowerCase()) ? bridge.customerRef : []
  })
  return (await Promise.all(found)).flat()
}

/** The numbers of the account to which the phone with this number (digits) is linked, or was last. */
async function linkedTo(accountId: string, phone: string): Promise<string[]> {
  const linked = await BridgesOfPhone.find(phone)
  const found = await Promise.all(
    linked.map(async ({ bridgeId }) => {
      const [bridge, lease] = await Promise.all([Bridge.byId(bridgeId), Lease.get(bridgeId)])
      if (bridge?.accountId !== accountId || !lease) return undefined
      const isLinked = LinkedPhone.numberOf(lease, await Bridge.deliveryKeyOf(bridge)) === phone
      return isLinked ? bridge.customerRef : undefined
    }),
  )
  return found.filter((ref) => ref !== undefined)
}

/** The last readings of receivers, by the ids of their bridges. `readAtMs` is monotonic. */
type Known = Map<string, Reading>

/** For how long what is known of a receiver will do, ms. */
const receiverLookMs = 10_000

interface Row {
  ref: string
  shownName: string
  knownState: KnownState
  receiving: Receiving
}

type ReadState = (bridge: Bridge.Info, lease: Lease.Info | undefined) => Promise<KnownState>

async function rowsOf(
  named: Bridge.Listed[],
  readState: ReadState,
  known: Known = new Map(),
): Promise<Row[]> {
  const ids = named.map(({ id }) => id)
  const [leases, deliveries, bridges] = await Promise.all([
    Lease.byIds(ids),
    Delivery.byIds(ids.filter((id) => !isFresh(known.get(id)))),
    Promise.all(named.map(async ({ accountId, customerRef }) => await Bridge.find(accountId, customerRef))),
  ])
  const rows = bridges.map(async (bridge) => {
    // The number was deleted between the two reads.
    if (!bridge) return undefined
    const before = known.get(bridge.id)
    const [knownState, receiving] = await Promise.all([
      readState(bridge, leases.get(bridge.id)),
      isFresh(before) ? before.receiving : receivingOf(bridge, deliveries.get(bridge.id) ?? []),
    ])
    if (!isFresh(before)) known.set(bridge.id, { receiving, readAtMs: performance.now() })
    return { ref: bridge.customerRef, shownName: bridge.shownName, knownState, receiving }
  })
  return (await Promise.all(rows)).filter((row) => row !== undefined)
}

interface Reading {
  receiving: Receiving
  readAtMs: number
}

function isFresh(reading: Reading | undefined): reading is Reading {
  return reading !== undefined && performance.now() - reading.readAtMs < receiverLookMs
}

export function addButton(): Html {
  return html`<a class="button main" href="/new-number">${icon("plus")} Add a number</a>`
}

function noNumber(action: Html | undefined): Html {
  return empty({
    isCard: true,
    icon: "numbers",
    title: "No number yet",
    about: "Add one and link a phone to it. Its messages then come to your webhook, or stay here.",
    action: action ?? "",
  })
}

function filterForm({ search, show }: Asked, { all, counts }: Listed): Html {
  const countOf = (kind: Kind) => (counts ? ` (${counts[kind] ?? 0})` : "")
  const shown = (Object.keys(kindWords) as Kind[]).map(
    (kind) => [kind, kindWords[kind] + countOf(kind)] as const,
  )
  return html`<form class="inline" method="get" action="/numbers" aria-label="Filter">
    ${field("Find", { name: "search", type: "search", value: search ?? "", placeholder: "Part of a name or of a phone number" })}
    ${selectField({ name: "show", label: "Show", choices: [["", `All (${all})`], ...shown], chosen: show })}
    <button class="button">Filter</button>
    ${search === undefined && show === undefined ? "" : html`<a class="button" href="/numbers">Show all</a>`}
  </form>`
}

function list(rows: Row[], asked: Asked, listed: Listed, mayChange: boolean): Html {
  const { page: nth = 1 } = asked
  const { fitting, counts } = listed
  const first = (nth - 1) * perPage
  const link = (to: number, text: string) =>
    html`<a class="button" href="/numbers?${toQuery({ ...asked, page: to === 1 ? undefined : to })}"
      >${text}</a
    >`
  return html`<div class="stack" id="list">
    ${counts ? "" : note("info", "There are so many numbers that a moment passes until those with troubles come first.")}
    ${filterForm(asked, listed)}
    <div class="card flush">
      ${rows.length === 0 ? empty({ about: "No number is such a one." }) : table(rows, mayChange)}
    </div>
    ${
      fitting <= perPage
        ? ""
        : html`<div class="row">
            ${nth > 1 ? link(nth - 1, "Before") : ""}
            <span class="small muted">${first + 1} to ${first + rows.length} of ${fitting}</span>
            ${first + rows.length < fitting ? link(nth + 1, "Further ones") : ""}
          </div>`
    }
  </div>`
}

function table(rows: Row[], mayChange: boolean): Html {
  return cardTable({
    label: "Numbers",
    heads: [...(mayChange ? [html`<span class="hidden">Ticked</span>`] : []), "Number", "State", "Webhook"],
    rows: rows.map((row) => numberRow(row, mayChange)),
    does: true,
  })
}

function numberRow(row: Row, mayChange: boolean): Html {
  const { action } = inWords(row.knownState)
  const at = `/numbers/${row.ref}`
  const { name, under } = calledOf({ ...row, customerRef: row.ref }, phoneOf(row.knownState))
  const tick = html`<td class="tick">
    <input type="checkbox" name="refs" value="${row.ref}" form="chosen" aria-label="Tick ${row.ref}" />
  </td>`
  return html`<tr id="number-${row.ref}">
    ${mayChange ? tick : ""}
    <td>
      <a class="strong" href="${at}">${name}</a>
      <div class="small muted">${under}</div>
    </td>
    <td>${stateLine(row.knownState)}</td>
    <td>${receiverLine(row.ref, row.receiving)}</td>
    <td class="end">
      ${
        action
          ? html`<a class="button slim" href="${pathOfAction(at, action.to)}"
              >${action.label}<span class="hidden"> ${row.ref}</span></a
            >`
          : html`<a class="button slim" href="${at}">Open<span class="hidden"> ${row.ref}</span></a>`
      }
    </td>
  </tr>`
}
