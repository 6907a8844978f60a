import { Hono } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { ApiKey } from "#core/account/api-key.ts"
import { RequestLog } from "#core/account/request-log.ts"
import { headedPage, toQuery } from "./answer.ts"
import { asSentence, bridgesAsNumbers } from "./api-words.ts"
import { copyable, empty, field, type Html, nextPage, selectField } from "./elements.ts"
import { FromTo, fromToFields, msOf } from "./from-to.ts"
import type { DashboardEnv } from "./guard.ts"
import { ago } from "./times.ts"

/** How many calls a page looks at. Equal ones are one item. */
const perPage = 500

/** The filter in a form or a link. Parts that cannot be understood are left out. */
const Filter = FromTo.extend({
  refused: z.literal("true").optional().catch(undefined),
  number: z.string().trim().min(1).max(64).optional().catch(undefined),
  key: z.string().trim().min(1).max(64).optional().catch(undefined),
  /** A status, a code of the API, or one of the network. */
  code: z.string().trim().toLowerCase().min(1).max(64).optional().catch(undefined),
})
type Filter = z.infer<typeof Filter>

/** The names of the account's keys, by their ids. */
type KeyNames = Map<string, string>

/** The calls of the account's programs, newest first: why was a call refused? */
export const requests = new Hono<DashboardEnv>().get("/requests", async (c) => {
  const filter = Filter.parse(c.req.query())
  const given = c.req.query("before")
  const before = given !== undefined && RequestLog.isPlace(given) ? given : undefined
  const asked = { ...msOf(filter), refused: filter.refused && true, before, limit: perPage }
  const [{ calls, next }, keys] = await Promise.all([
    RequestLog.page(c.var.accountId, { ...asked, fits: (call) => fits(filter, call) }),
    ApiKey.list(c.var.accountId),
  ])
  const names: KeyNames = new Map(keys.map(({ keyId, name }) => [keyId, name]))
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const about =
    "Refused calls, and calls that changed something, of the last 7 days; equal ones together. Reads and sends that succeed are not listed. A call with a key that this service does not know (401) belongs to no account, so it cannot be shown."
  const body = html`${filterForm(filter, names)}
    <section class="card flush" aria-label="Requests">
      <header><h2>${before === undefined ? "Latest requests" : "Earlier requests"}</h2></header>
      ${calls.length === 0 ? nothing({ isFiltered, isFirst: before === undefined, hasMore: next !== undefined }) : ""}
      <ul class="feed">
        ${groupsOf(calls).map((group) => item(group, names))}
      </ul>
    </section>
    ${nextPage(next && `/requests?${toQuery({ ...filter, before: next })}`, "Earlier requests")}`
  return await headedPage(c, { title: "Requests", about, place: "requests", body })
})

/** The number in the path of a call; undefined if it is of none. */
export function numberIn(path: string): string | undefined {
  return /^\/api\/instances\/([^/]+)/.exec(path)?.[1]
}

function fits({ number, key, code }: Filter, { path, keyId, status, refusal }: RequestLog.Kept): boolean {
  const codes = [String(status), refusal?.code, String(refusal?.networkCode ?? "")]
  return (
    (number === undefined || numberIn(path) === number) &&
    (key === undefined || keyId === key) &&
    (code === undefined || codes.includes(code))
  )
}

/** Calls that differ in nothing but their time, the newest first; the first of them says where they stand. */
function groupsOf(calls: RequestLog.Kept[]): RequestLog.Kept[][] {
  return [
    ...Map.groupBy(calls, ({ method, path, status, refusal, keyId }) =>
      JSON.stringify([method, path, status, refusal?.code, refusal?.networkCode, keyId]),
    ).values(),
  ]
}

function filterForm(filter: Filter, names: KeyNames): Html {
  const shown = [
    ["", "Changes and refusals"],
    ["true", "Refusals"],
  ] as const
  const keys = [["", "All keys"], ...[...names].map(([id, name]) => [id, name || id] as const)] as const
  return html`<form class="inline" method="get" action="/requests" aria-label="Filter">
    ${selectField({ name: "refused", label: "Show", choices: shown, chosen: filter.refused })}
    ${field("Number", { name: "number", value: filter.number ?? "", placeholder: "customer_ref", spellcheck: "false" })}
    ${selectField({ name: "key", label: "Key", choices: keys, chosen: filter.key })}
    ${field("Code", { name: "code", value: filter.code ?? "", placeholder: "429, 463, invalid_request", spellcheck: "false" })}
    ${fromToFields(filter)}
    <div class="row">
      <button class="button">Filter</button>
      ${Object.values(filter).some((value) => value !== undefined) ? html`<a href="/requests">Show all</a>` : ""}
    </div>
  </form>`
}

/** Equal calls: the newest, how many there were, and when. */
function item(group: RequestLog.Kept[], names: KeyNames): Html {
  const [newest] = group as [RequestLog.Kept] // a group has one at least
  const leftOut = group.reduce((all, one) => all + one.leftOut, 0)
  const more =
    group.length + leftOut === 1
      ? ""
      : html`<details class="plain small">
          <summary>${group.length + leftOut} times since ${ago(group.at(-1)!.atMs)}</summary>
          ${leftOut === 0 ? "" : html`<p class="muted">There were too many: ${leftOut} of them were not kept.</p>`}
          <ul>
            ${group.slice(0, mostListed).map(({ place, atMs }) => html`<li><a href="/requests/${place}">${ago(atMs)}</a></li>`)}
          </ul>
        </details>`
  return html`<li class="line" id="${newest.requestId}">
    <span class="state ${newest.status >= 400 ? "bad" : "good"}">${newest.status}</span>
    <div class="about whole">
      <a href="/requests/${newest.place}"
        ><code><bdi>${newest.method} ${newest.path}</bdi></code></a
      >
      ${aboutCall(newest, names)} ${more}
    </div>
    <span class="small muted">${ago(newest.atMs)}</span>
  </li>`
}

/** How many of equal calls are listed one by one. */
const mostListed = 100

/** Why a call was refused, and which key made it. */
export function aboutCall({ refusal, keyId, ms, requestId, path }: RequestLog.Kept, names: KeyNames): Html {
  const name = names.get(keyId)
  return html`${refusal === undefined ? "" : html`<p><bdi>${sentenceOf(refusal.sentence)}</bdi></p>`}
    <p class="small muted">
      ${refusal === undefined ? "" : html`<code>${refusal.code}${refusal.networkCode === undefined ? "" : ` (network: ${refusal.networkCode})`}</code> · `}
      ${name === undefined ? html`a revoked key (<code>${keyId}</code>)` : html`key <bdi>${name || keyId}</bdi>`}
      · ${ms} ms
    </p>
    ${
      path.includes("/proxy/send/")
        ? html`<p class="small">
            <a href="/where?q=${requestId}">Where is it?<span class="hidden"> ${requestId}</span></a>
          </p>`
        : ""
    }
    <details class="plain small">
      <summary>Id</summary>
      <p class="row">request ${copyable(requestId)}</p>
    </details>`
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
