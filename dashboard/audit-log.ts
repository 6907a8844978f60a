import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { z } from "zod"
import { ApiKey } from "#core/account/api-key.ts"
import { AuditLog } from "#core/account/audit-log.ts"
import { addressOf } from "#functions/http/address.ts"
import { headedPage, toQuery } from "./answer.ts"
import { browserName, cardTable, field, type Html, nextPage, selectField } from "./elements.ts"
import { FromTo, fromToFields, msOf } from "./from-to.ts"
import { type DashboardEnv, notAllowed, pageOrigin } from "./guard.ts"
import { ago } from "./times.ts"

/** Who did what in the account, for its owners. */
export const auditLog = new Hono<DashboardEnv>().get("/account/audit-log", async (c) => {
  if (c.var.me.role !== "owner") return await notAllowed(c, "Only owners see the audit log")
  const { before, ...filter } = Asked.parse(c.req.query())
  const { sinceMs = 0, untilMs } = msOf(filter)
  const by = filter.by?.toLowerCase()
  const keys = new Map((await ApiKey.list(c.var.accountId)).map(({ keyId, name }) => [keyId, name]))
  const nameOf = ({ by: who, key_id: id }: AuditLog.Entry) => (id === undefined ? who : (keys.get(id) ?? who))
  const { entries, next } = await AuditLog.find(c.var.accountId, {
    before: before ?? untilMs,
    fits: (entry) =>
      entry.at_ms >= sinceMs &&
      (filter.act === undefined || entry.act === filter.act) &&
      (by === undefined || `${nameOf(entry)}\n${entry.about}`.toLowerCase().includes(by)),
  })
  const about =
    "Who did what: sign-ins, people, keys, numbers, link pages, secrets, webhooks and billing of this account, for 13 months."
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const body = html`${filterForm(filter)}
  ${entries.length === 0 ? html`<p class="muted">${isFiltered || before ? "Nothing matches." : "Nothing yet."}</p>` : table(entries, keys)}
  ${nextPage(next === undefined ? undefined : `/account/audit-log?${toQuery({ ...filter, before: next })}`, "Older")}`
  const crumbs = html`<a href="/account">Account</a>`
  return await headedPage(c, { title: "Audit log", crumbs, about, place: "account", body })
})

/** The filter in a form or a link. Parts that cannot be understood are left out. */
const Asked = FromTo.extend({
  before: z.coerce.number().int().min(1).optional().catch(undefined),
  act: AuditLog.Act.optional().catch(undefined),
  /** Part of a name or an address: who did it, or to whom or what. */
  by: z.string().trim().min(1).max(100).optional().catch(undefined),
})

function filterForm(filter: Omit<z.infer<typeof Asked>, "before">): Html {
  const acts = AuditLog.Act.options.map(
    (act) => [act, AuditLog.sentenceOf({ by: "", act, about: "" }).trim()] as const,
  )
  return html`<form class="inline" method="get" action="/account/audit-log" aria-label="Filter">
    ${field("Who, or what", { name: "by", type: "search", value: filter.by ?? "" })}
    ${selectField({ name: "act", label: "Did", choices: [["", "anything"], ...acts], chosen: filter.act })}
    ${fromToFields(filter)}
    <div class="row">
      <button class="button">Filter</button>
      ${Object.values(filter).some((value) => value !== undefined) ? html`<a href="/account/audit-log">Show all</a>` : ""}
    </div>
  </form>`
}

/** `keys`: the names of the account's keys, by their ids. */
function table(entries: AuditLog.Entry[], keys: Map<string, string>): Html {
  return html`<div class="card flush">
    ${cardTable({
      label: "Audit log",
      heads: ["When", "What", "From"],
      rows: entries.map(
        (entry) =>
          html`<tr>
            <td>${ago(entry.at_ms)}</td>
            <td>${sentence(entry, keys)}</td>
            <td data-label="From">
              ${entry.address}
              ${entry.address === "" ? "" : html`<div class="small muted">${browserName(entry.agent)}</div>`}
            </td>
          </tr>`,
      ),
    })}
  </div>`
}

/**
 * An entry in words, with the key's name while the key exists. No name changes the direction of the text
 * beside it.
 */
function sentence({ by, key_id: id, act, about }: AuditLog.Entry, keys: Map<string, string>): Html {
  const name = id === undefined ? undefined : keys.get(id)
  const did = AuditLog.sentenceOf({ by: "", act, about: "" })
  return html`${name ? html`the API key <b><bdi>${name}</bdi></b>` : html`<bdi>${by}</bdi>`}${did}
    <bdi>${about}</bdi>
    ${id === undefined ? "" : html`<div class="small muted mono">mbk_${id}_…</div>`}`
}

/** Records what the person of this request did in the account that they are in. `about`: to whom or what. */
export async function did(c: Context<DashboardEnv>, act: AuditLog.Act, about = ""): Promise<void> {
  const { person, account } = c.var.me
  await AuditLog.recordAndMail(
    account.id,
    { by: person.email, act, about, ...fromWhere(c) },
    { origin: pageOrigin(c) },
  )
}

/** From where a request came, as an entry has it. */
export function fromWhere(c: Context<DashboardEnv>): Pick<AuditLog.Entry, "address" | "agent"> {
  return { address: addressOf(c), agent: c.req.header("user-agent") ?? "" }
}
