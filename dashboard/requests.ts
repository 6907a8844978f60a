import { Hono } from "hono"
import { html } from "hono/html"
import type { ApiRequest } from "#contract/request-log.ts"
import { RequestLog } from "#core/account/request-log.ts"
import { requestsOf } from "#functions/api/account.ts"
import { headedPage } from "./answer.ts"
import { asSentence, bridgesAsNumbers } from "./api-words.ts"
import { copyable, empty, type Html, nextPage } from "./elements.ts"
import type { DashboardEnv } from "./guard.ts"
import { ago } from "./times.ts"

const perPage = 50

/** The calls of the account's programs, newest first: why was a call refused? */
export const requests = new Hono<DashboardEnv>().get("/requests", async (c) => {
  const isFiltered = c.req.query("refused") === "true"
  const given = c.req.query("before")
  const before = given !== undefined && RequestLog.isPlace(given) ? given : undefined
  const asked = { refused: isFiltered || undefined, before, limit: perPage }
  const { requests: listed, next } = await requestsOf(c.var.accountId, asked)
  const about =
    "Refused calls, and calls that changed something, of the last 7 days. Reads and sends that succeed are not listed. A call with a key that this service does not know (401) belongs to no account, so it cannot be shown."
  const body = html`${filterLine(isFiltered)}
    <section class="card flush" aria-label="Requests">
      <header><h2>${before === undefined ? "Latest requests" : "Earlier requests"}</h2></header>
      ${listed.length === 0 ? nothing({ isFiltered, isFirst: before === undefined, hasMore: next !== undefined }) : ""}
      <ul class="feed">
        ${listed.map(item)}
      </ul>
    </section>
    ${nextPage(next && pathOf({ isFiltered, before: next }), "Earlier requests")}`
  return await headedPage(c, { title: "Requests", about, place: "requests", body })
})

function filterLine(isFiltered: boolean): Html {
  const choice = (text: string, to: boolean) =>
    html`<li>
      <a href="${pathOf({ isFiltered: to })}" ${to === isFiltered ? "aria-current=page" : ""}>${text}</a>
    </li>`
  return html`<nav aria-label="Which requests">
    <ul class="tabs">
      ${choice("Changes and refusals", false)} ${choice("Refusals", true)}
    </ul>
  </nav>`
}

/** Where the call that sent a message is listed; undefined if it is not, as one that succeeded. */
export async function pathOfCall(
  accountId: string,
  call: { requestId: string; askedMs: number },
): Promise<string | undefined> {
  const before = await RequestLog.findPlace(accountId, call.requestId, call.askedMs)
  return before && `${pathOf({ isFiltered: false, before })}#${call.requestId}`
}

function pathOf({ isFiltered, before }: { isFiltered: boolean; before?: string }): string {
  const query = new URLSearchParams({ ...(isFiltered && { refused: "true" }), ...(before && { before }) })
  return query.size === 0 ? "/requests" : `/requests?${query.toString()}`
}

/** A call, the key that made it, and why it was refused, if it was. */
function item(call: ApiRequest): Html {
  return html`<li id="${call.request_id}">
    <div class="line">
      <span class="state ${call.status >= 400 ? "bad" : "good"}">${call.status}</span>
      <div class="about whole">
        <code><bdi>${call.method} ${call.path}</bdi></code>
        ${call.error === undefined ? "" : html`<p><bdi>${sentenceOf(call.error)}</bdi></p>`} ${about(call)}
      </div>
      <span class="small muted">${ago(Date.parse(call.timestamp))}</span>
    </div>
    ${
      call.left_out === 0
        ? ""
        : html`<p class="foot small muted">
            There were too many: ${call.left_out} more just before it were not kept.
          </p>`
    }
  </li>`
}

function about(call: ApiRequest): Html {
  return html`<p class="small muted">
      ${call.code === undefined ? "" : html`<code>${call.code}</code> · `}
      ${call.key_name === undefined ? html`a revoked key (<code>${call.key_id}</code>)` : html`key <bdi>${call.key_name || call.key_id}</bdi>`}
      · ${call.ms} ms
    </p>
    <div class="small muted row">request ${copyable(call.request_id)}</div>`
}

/** The API's sentence, which may begin with a field's name and have code between backticks. */
function sentenceOf(error: string): (Html | string)[] {
  return asSentence(bridgesAsNumbers(error).replace(/^([\w.]+): (?=(?:is|must) )/, "the field `$1` "))
    .split("`")
    .map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))
}

function nothing(input: { isFiltered: boolean; isFirst: boolean; hasMore: boolean }): Html {
  const { isFiltered, isFirst, hasMore } = input
  const sentence = hasMore
    ? "None among these. Look at earlier ones below."
    : isFiltered
      ? "No call was refused in the last 7 days."
      : "A call that is refused, or that changes something, appears here."
  const title = isFirst && !hasMore && !isFiltered ? "No request yet" : "No request matches"
  return empty({ icon: "send", title, about: sentence })
}
