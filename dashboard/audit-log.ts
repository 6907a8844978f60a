import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { ApiKey } from "#core/account/api-key.ts"
import { AuditLog } from "#core/account/audit-log.ts"
import { addressOf } from "#functions/http/address.ts"
import { headedPage } from "./answer.ts"
import { browserName, cardTable, type Html } from "./elements.ts"
import { type DashboardEnv, notAllowed, pageOrigin } from "./guard.ts"
import { ago } from "./times.ts"

/** Who did what in the account, for its owners. */
export const auditLog = new Hono<DashboardEnv>().get("/account/audit-log", async (c) => {
  if (c.var.me.role !== "owner") return await notAllowed(c, "Only owners see the audit log")
  const before = Number(c.req.query("before"))
  const entries = await AuditLog.page(
    c.var.accountId,
    Number.isSafeInteger(before) && before > 0 ? before : undefined,
  )
  const keys = new Map((await ApiKey.list(c.var.accountId)).map(({ keyId, name }) => [keyId, name]))
  const last = entries.length === AuditLog.pageSize ? entries.at(-1) : undefined
  const about =
    "Who did what: sign-ins, people, keys, numbers, link pages, secrets, webhooks and billing of this account, for 13 months."
  const body = html`${entries.length === 0 ? html`<p class="muted">Nothing yet.</p>` : table(entries, keys)}
  ${last === undefined ? "" : html`<p><a href="/account/audit-log?before=${last.at_ms}">Older</a></p>`}`
  const crumbs = html`<a href="/account">Account</a>`
  return await headedPage(c, { title: "Audit log", crumbs, about, place: "account", body })
})

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
