import { Hono } from "hono"
import { html } from "hono/html"
import { Bridge } from "#core/bridge/bridge.ts"
import { page } from "../answer.ts"
import { type Html, icon } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"
import { head } from "../layout.ts"
import { live } from "../live.ts"
import { type Evidence, evidenceOf } from "./evidence.ts"
import { receiverLine, type Receiving, receivingOf } from "./receiver.ts"
import { evidenceLine, inWords, phoneOf, placeOf } from "./state.ts"

/** How often a state is asked for while its page is open. */
export const lookEachMs = 2000

/** Every number of the account, with its state and how its events get through. */
export const numbers = new Hono<DashboardEnv>()
  .get("/numbers", async (c) => {
    const mayChange = c.var.me.role !== "viewer"
    const rows = await rowsOf(c.var.accountId)
    const body = html`${head({
      title: "Numbers",
      about: "Each phone number that this account has connected, or is about to.",
      ...(mayChange && { actions: addButton() }),
    })}
    ${rows.length === 0 ? noNumber(mayChange) : list(rows)}`
    return await page(c, { title: "Numbers", place: "numbers", body })
  })
  .get("/live/numbers", async (c) => {
    const known: Known = new Map()
    return await live(c, lookEachMs, async () => {
      const rows = await rowsOf(c.var.accountId, known)
      return new Map(rows.map((row) => [row.ref, { html: numberRow(row) }]))
    })
  })

/** The last readings of receivers, by the ids of their bridges. `readAtMs` is monotonic. */
type Known = Map<string, { receiving: Receiving; readAtMs: number }>

/** How many numbers are asked at once, and for how long what is known of a receiver will do, ms. */
const atOnce = 5
const receiverLookMs = 10_000

interface Row {
  ref: string
  isSandbox: boolean
  evidence: Evidence
  receiving: Receiving
}

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

function list(rows: Row[]): Html {
  return html`<div class="card flush" data-stream="/live/numbers">
    <div class="scroller" tabindex="0" role="region" aria-label="Numbers">
      <table>
        <thead>
          <tr>
            <th>Number</th>
            <th>State</th>
            <th>Receiver</th>
            <th class="end"><span class="hidden">Do</span></th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(numberRow)}
        </tbody>
      </table>
    </div>
  </div>`
}

function numberRow(row: Row): Html {
  const { action } = inWords(row.evidence)
  const at = `/numbers/${row.ref}`
  return html`<tr id="number-${row.ref}">
    <td>
      <a class="strong" href="${at}">${row.ref}</a>
      ${row.isSandbox ? html`<span class="tag">sandbox</span>` : ""}
      <div class="small muted">
        ${phoneOf(row.evidence) || (row.evidence.kind === "said" ? "no phone" : "")}
      </div>
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
