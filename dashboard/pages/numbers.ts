import { html } from "hono/html"
import { head } from "../layout.ts"
import { type Html, note } from "../elements.ts"
import { icon } from "../elements.ts"
import { type Receiving, receiverLine } from "../numbers/receiver.ts"
import { type Evidence, evidenceLine, placeOf, tell } from "../numbers/state.ts"

/** A bridge as the list shows it. */
export interface Row {
  ref: string
  isSandbox: boolean
  evidence: Evidence
  receiving: Receiving
}

/** Every number of the account, with its state and how its events get through. */
export function numbers(input: { rows: Row[]; mayChange: boolean; nowMs: number }): Html {
  const { rows, mayChange } = input
  const add = html`<a class="button main" href="/new-number">${icon("plus")} Add a number</a>`
  return html`${head({
    title: "Numbers",
    about: "Each phone number that this account has connected, or is about to.",
    ...(mayChange && { actions: add }),
  })}
  ${
    rows.length === 0
      ? html`<div class="card empty">
          ${icon("numbers")}
          <h2>No number yet</h2>
          <p>Add one and link a phone to it. Its messages then come to your webhook, or to an inbox here.</p>
          ${mayChange ? add : ""}
        </div>`
      : html`<div class="card flush" data-stream="/live/numbers">
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
                ${rows.map((row) => numberRow(row, input.nowMs))}
              </tbody>
            </table>
          </div>
        </div>`
  }`
}

/** One row, as the stream sends it again. */
export function numberRow(row: Row, nowMs: number): Html {
  const { action } = tell(row.evidence)
  const at = `/numbers/${row.ref}`
  return html`<tr id="number-${row.ref}">
    <td>
      <a class="strong" href="${at}">${row.ref}</a>
      ${row.isSandbox ? html`<span class="tag">sandbox</span>` : ""}
      <div class="small muted">${phoneOf(row.evidence)}</div>
    </td>
    <td>${evidenceLine(row.evidence, nowMs)}</td>
    <td>${receiverLine(row.receiving, nowMs)}</td>
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

/** Nobody but its session knows which phone is linked. */
function phoneOf(evidence: Evidence): string {
  if (evidence.kind !== "said") return ""
  return evidence.phone === "" ? "no phone" : `+${evidence.phone}`
}

/** A form for one more number. */
export function newNumber(input: { ref: string; url: string; problem?: Html | string }): Html {
  return html`${head({
      title: "Add a number",
      crumbs: html`<a href="/numbers">Numbers</a>`,
      about:
        "Give it a name of your own; the API calls it customer_ref. You link the phone in the next step.",
    })}
    <form class="card" method="post" action="/new-number">
      ${input.problem ? note("bad", input.problem) : ""}
      <div>
        <label for="ref">Name</label>
        <input
          id="ref"
          name="customer_ref"
          required
          maxlength="64"
          pattern="[A-Za-z0-9_\\-]+"
          title="Letters, digits, dashes and underscores"
          value="${input.ref}"
          placeholder="shop-berlin"
          autocomplete="off"
          spellcheck="false"
          aria-describedby="ref-hint"
        />
        <p class="hint" id="ref-hint">
          1 to 64 letters, digits, dashes and underscores. It cannot be changed later.
        </p>
      </div>
      <div>
        <label for="url">Webhook address <span class="muted">(optional)</span></label>
        <input
          id="url"
          name="webhook_url"
          type="url"
          maxlength="2048"
          value="${input.url}"
          placeholder="https://example.com/webhook"
          autocomplete="off"
          aria-describedby="url-hint"
        />
        <p class="hint" id="url-hint">
          Where its events are sent. Leave it empty to read them here; you can change it at any time.
        </p>
      </div>
      <div class="row">
        <button class="button main">Add it and link a phone</button>
        <a class="button" href="/numbers">Cancel</a>
      </div>
    </form>`
}
